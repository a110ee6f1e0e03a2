import type { FailureKind } from './outcome.ts';
/** The kind of failure that a message stands for; `undefined` if it is not known. */
export declare function kindOfMessage(message: string): FailureKind | undefined;
//# sourceMappingURL=failure-message.d.ts.map