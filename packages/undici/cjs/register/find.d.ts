/**
 * The path of the config: the file that `EBB_CONFIG` names, relative to `directory`, or the `ebb.config.*` nearest to
 * `directory`, not above the nearest package.json. `undefined` if there is none.
 *
 * @throws Error if `EBB_CONFIG` names no config, and for two configs in one folder
 */
export declare function findConfig(directory: string, name: string | undefined): string | undefined;
//# sourceMappingURL=find.d.ts.map