import type { Peek } from '@ebb/core/adapter';
import type { AxiosResponse } from 'axios';
/**
 * A look at the beginning of a Node stream. What it has read goes back into the stream, so that the caller has the same
 * stream, with its backpressure, its errors and its `destroy`. A stream that ends or fails during the look has emitted
 * events that come once: only then the response gets a copy, which emits them when it is read.
 */
export declare class NodePeek implements Peek {
    #private;
    /** @returns `undefined` for a stream that has ended, or that nothing can be put back into */
    static at(response: AxiosResponse, stream: object): NodePeek | undefined;
    private constructor();
    read(): Promise<Uint8Array | undefined>;
    stop(): void;
}
//# sourceMappingURL=peek-node.d.ts.map