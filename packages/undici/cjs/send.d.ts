import type { Attempt } from './attempt.ts';
import type { Steps } from './steps.ts';
/**
 * Dispatches one attempt of a request.
 *
 * @param isFirst true until the caller's `dispatch` returns: errors of the dispatcher are then thrown to the caller
 * @returns what `dispatch` returns: whether the caller may go on dispatching
 * @throws what the dispatcher throws, or what the handler throws when it is given an error
 */
export declare function send(steps: Steps, attempt: Attempt, isFirst: boolean): boolean;
//# sourceMappingURL=send.d.ts.map