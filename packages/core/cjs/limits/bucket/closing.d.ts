import type { CloseOptions } from '../contracts.ts';
/**
 * Validates the options of `close`, and returns its `waiting`.
 *
 * @throws TypeError, RangeError for a wrong option
 */
export declare function waitingAtClose(options?: CloseOptions): 'reject' | 'drain';
//# sourceMappingURL=closing.d.ts.map