import type { AsyncResource } from 'node:async_hooks';
import { type Outcome } from '@ebb/core';
import type { Session } from '@ebb/core/adapter';
/**
 * Judges the outcome of an attempt, in the context of its request if the user's code may run; true for a retry. undici reports a
 * response in the async context of whichever request opened its connection.
 *
 * @throws HookError if a hook fails
 */
export declare function judgeIn(context: AsyncResource, session: Session, outcome: Outcome, hasAnswer: boolean): boolean;
//# sourceMappingURL=judge.d.ts.map