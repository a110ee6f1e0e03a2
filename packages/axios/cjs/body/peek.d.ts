import { type Peek } from '@ebb/core/adapter';
/**
 * Opens the body of the response in what an adapter settled with. The adapters of axios have read a body that is not
 * streamed, but not parsed it: `transformResponse` runs after the last attempt. A custom adapter may have.
 *
 * @param mostBytes a longer body need not be passed on whole
 * @returns `undefined` for a response without a body, or with a body that has neither text nor bytes, such as a form
 */
export declare function peekAt(settled: unknown, mostBytes: number): Peek | undefined;
//# sourceMappingURL=peek.d.ts.map