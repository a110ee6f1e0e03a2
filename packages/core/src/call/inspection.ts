import { callHook, isPromise } from '../base/errors.ts';
import type { OpenedBody } from '../http/body.ts';
import { checkVerdict } from '../http/classify.ts';
import { type InspectAdvice, type Outcome, type ResponseOutcome, withAdvice } from '../http/outcome.ts';
import type { CallView } from '../policy/call-view.ts';
import { POLICY, type Policy } from '../policy/options.ts';
import type { BodyAccess, Inspector } from '../policy/plugin.ts';
import { namedTimeoutOf, OutOfTime, type TimedCall, withinBounds } from './deadline.ts';
import type { WaitStep } from './types.ts';
import { asUserCode } from './user-code.ts';

/** A call whose response is inspected. */
interface InspectedCall extends Omit<CallView, 'deadline'>, TimedCall {
  readonly policy: Policy;
  /** When the attempt runs into its timeout, or into that of the call. */
  readonly endsAtMs?: number;
}

/** A response that plugins inspect, one after the other, before it is judged. */
export class Inspection {
  readonly outcome: ResponseOutcome;
  readonly #call: InspectedCall;
  readonly #body: BodyAccess;
  /** Ends the reads of inspectors, which must end with the attempt. */
  readonly #abort: AbortController | undefined;
  /** The inspector that is asked next. */
  #at = 0;
  #advice: InspectAdvice | undefined;

  /** @param signal the caller's */
  constructor(
    call: InspectedCall,
    outcome: ResponseOutcome,
    open: () => OpenedBody,
    signal: AbortSignal | undefined,
  ) {
    this.#call = call;
    this.outcome = outcome;
    const abort = call.endsAtMs === undefined ? undefined : new AbortController();
    this.#abort = abort;
    const either = abort && signal ? AbortSignal.any([signal, abort.signal]) : (signal ?? abort?.signal);
    this.#body = { attempt: call.attempt, open, signal: either };
  }

  /** The outcome with the advice of the inspectors. */
  get judged(): Outcome {
    return this.#advice ? withAdvice(this.outcome, this.#advice) : this.outcome;
  }

  /** Takes the advice of an inspector, which replaces that of the ones before it. @throws HookError for a wrong verdict */
  readonly keep = (advice: InspectAdvice | undefined): void => {
    const verdict = advice?.verdict;
    if (verdict) callHook('inspect', () => verdict, checkVerdict);
    this.#advice = advice ?? this.#advice;
  };

  /** Asks the next inspectors. Returns the wait for one of them, whose result is for {@link keep}; `undefined` after the last. */
  next(): WaitStep | undefined {
    const { policy, endsAtMs } = this.#call;
    const { inspectors } = policy[POLICY];
    while (this.#at < inspectors.length) {
      const one = inspectors[this.#at] as Inspector;
      this.#at += 1;
      const said = asUserCode(this.#call, () =>
        one.judge(this.outcome, this.#call, this.#body, this.#advice),
      );
      if (isPromise(said)) {
        // Its own end lets the error of the client follow, as without an inspection.
        const endsItself = one.endsItself && endsAtMs === undefined;
        return { do: 'wait', until: endsItself ? said : this.#bounded(said) };
      }
      this.keep(said);
    }
    return undefined;
  }

  /** A function that reads may never settle. The attempt is in flight until it is judged: `stopSignal` does not end it. */
  #bounded<T>(work: PromiseLike<T>): Promise<T> {
    const { deadline, policy, endsAtMs = Infinity } = this.#call;
    const { clock } = policy;
    const late = (): unknown => new OutOfTime(namedTimeoutOf(this.#call), deadline?.bindsAttempt === true);
    return withinBounds(work, { clock, signal: this.#body.signal, leftMs: endsAtMs - clock.now(), late });
  }

  /** The call does not wait for the inspectors any more. */
  end(error: unknown): void {
    this.#abort?.abort(error);
  }
}
