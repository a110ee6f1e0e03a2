import { type SetAside } from './set-aside.ts';
/** A Node stream with these parts, which then ends, or fails with the error if there is one. */
export declare function nodeStream(parts: readonly unknown[], error: unknown, objectMode: boolean): unknown;
/** A stream of the same kind as `body`, with what was kept of it. If that is not all, reading it fails with the reason. */
export declare function restored(body: unknown, aside: SetAside): unknown;
//# sourceMappingURL=restored.d.ts.map