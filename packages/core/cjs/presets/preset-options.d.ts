/** Options of a preset. */
export interface PresetOptions {
    /**
     * Whether a request that is not idempotent, such as a POST, may be sent again after an attempt that the server may have
     * carried out: a 5xx, a timeout, a broken connection. After a refusal it may always be.
     * @default true for openai, anthropic, and the calls of a model of google; false for the others
     */
    readonly repeatPosts?: boolean | undefined;
}
/**
 * Reads the options of a preset.
 *
 * @throws TypeError for an unknown option, or a value that is not true or false
 */
export declare function repeatsPosts(preset: string, options: PresetOptions, byDefault: boolean): boolean;
//# sourceMappingURL=preset-options.d.ts.map