import type { Peek } from '@ebb/core/adapter';
import type { Attempt } from './attempt.ts';
import { type ResponseHead } from './headers.ts';
import type { Held } from './held.ts';
import type { Steps } from './steps.ts';
/** Holds a response back until the policy has inspected it. */
export declare function look(steps: Steps, attempt: Attempt, head: ResponseHead): void;
/** Opens the body of a held response for a look. What the handler gets stays encoded. */
export declare function peekAt(held: Held): Peek;
//# sourceMappingURL=peek.d.ts.map