import type { Peek } from '../http/inspect.ts';
/**
 * A look at the beginning of a Node stream. What it has read goes back into the stream, so that the caller has the same
 * stream, with its backpressure, its errors and its `destroy`. A stream that ends or fails during the look has emitted
 * events that come once: only then it is replaced by a copy, which emits them when it is read.
 */
export declare class NodePeek implements Peek {
    #private;
    /**
     * @param replace called with the copy that takes the place of a stream which has ended or failed
     * @returns `undefined` for a stream that has ended, or that nothing can be put back into
     */
    static at(stream: object, replace: (copy: unknown) => void): NodePeek | undefined;
    private constructor();
    read(): Promise<Uint8Array | undefined>;
    stop(): void;
}
//# sourceMappingURL=node-peek.d.ts.map