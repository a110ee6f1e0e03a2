import { isPromise } from '../base/errors.ts';
import type { Opened } from '../http/body.ts';
import type { Judgement, Outcome, Responded } from '../http/outcome.ts';
import { withJudgement } from '../http/outcome.ts';
import type { Call } from './call.ts';
import { bounded, OutOfTime } from './deadline.ts';
import { asUserCode, namedTimeoutOf } from './send.ts';

/** True if parts look into the response. What a function returned is none, and has no status. */
export function reads({ parts }: Call, outcome: Outcome): outcome is Responded {
  return parts?.reads === true && outcome.type === 'response' && outcome.status !== 0;
}

/**
 * The outcome of an attempt with what the parts that read responses say of it.
 *
 * @param open opens the body; called only if a part asks for it
 * @param signal the caller's
 * @throws HookError if a part fails
 * @throws OutOfTime if the timeout of the attempt or of the call passes: the attempt is to be judged as one that ran into it
 */
export async function look(
  call: Call,
  outcome: Responded,
  open: () => Opened,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const { attempt, policy, endsAtMs, deadline } = call;
  // What reads must end with the call.
  const ended = endsAtMs === undefined ? undefined : new AbortController();
  const signals = [signal, ended?.signal].filter((one) => one !== undefined);
  const given = { attempt, open, signal: signals.length > 1 ? AbortSignal.any(signals) : signals[0] };
  let said: Judgement | undefined;
  for (const turn of call.parts?.all ?? []) {
    if (turn.judge === undefined) continue;
    const reading = asUserCode(call, () => turn.judge?.(outcome, said, given));
    if (!isPromise(reading)) {
      said = reading ?? said;
      continue;
    }
    try {
      const { clock } = policy;
      const late = (): unknown => new OutOfTime(namedTimeoutOf(call), deadline?.bindsAttempt === true);
      // A function that reads may never settle.
      const bound =
        endsAtMs === undefined
          ? reading
          : bounded(reading, { clock, signal, leftMs: endsAtMs - clock.now(), late });
      said = (await bound) ?? said;
    } catch (error) {
      ended?.abort(error);
      throw error;
    }
  }
  return said === undefined ? outcome : withJudgement(outcome, said);
}
