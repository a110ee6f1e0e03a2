import type { Observer, StopReason } from '../events/events.ts';
import type { InspectionContext, OpenedBody } from '../http/body.ts';
import type { FailureOutcome, InspectAdvice, Outcome, ResponseOutcome } from '../http/outcome.ts';
import type { CallView } from './call-view.ts';
import type { HeaderChangesInit, NextAttempt, WrapAttempt } from './hooks.ts';
import type { Limit } from './limit.ts';
import type { BringsLimit, Calls } from './limit-options.ts';
import type { Middleware } from './middleware.ts';

type MaybePromise<T> = T | Promise<T>;

/**
 * Bundles hooks, limits and middleware under the names of the options. All calls of a policy share it. `call` is the same object in all hooks of
 * one call: a `WeakMap` with it as the key holds what belongs to that call.
 */
export interface Plugin {
  readonly name: string;
  /**
   * Called when a policy is made with the plugin, with some of its options.
   *
   * @throws TypeError if the plugin needs others
   */
  checkCalls?(calls: Calls): void;
  /** A call begins. @throws what the call is to fail with, before anything is sent */
  started?(call: CallView): void;
  /** As the option: headers for the next attempt, which may be credentials. It is not called for an origin that the policy does not trust. */
  beforeAttempt?(
    next: NextAttempt,
    call: CallView,
  ): HeaderChangesInit | undefined | Promise<HeaderChangesInit | undefined>;
  /** As {@link beforeAttempt}, for headers that are no credentials, such as those of a trace: every origin gets them. */
  publicHeaders?(
    next: NextAttempt,
    call: CallView,
  ): HeaderChangesInit | undefined | Promise<HeaderChangesInit | undefined>;
  /** As the option. */
  readonly wrapAttempt?: WrapAttempt | undefined;
  /** As the option: what `inspectBody` returns, or an inspector of your own. */
  readonly inspect?: Inspector | undefined;
  /**
   * An attempt has failed without a response. Returns at once the outcome to go on with, such as the same with `advice`; `undefined` for
   * the same. Not called for a nested client.
   */
  failed?(outcome: FailureOutcome, call: CallView): FailureOutcome | undefined;
  /** As the option. */
  readonly onEvent?: Observer | undefined;
  /** As the option. */
  readonly limits?: readonly (Limit | BringsLimit)[] | undefined;
  /** As the option. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** A call has ended: once for each {@link started}. */
  ended?(call: CallView, reason: StopReason): void;
}

/** Judges responses. */
export interface Inspector {
  /** True if {@link judge} ends by itself with the signal, so that the client's own error for an abort follows. */
  readonly endsItself?: boolean | undefined;
  /**
   * Called with each response, whose body it can open. The result goes on to the next inspector, and to the decision.
   *
   * @param advice the advice of the inspectors before
   */
  judge(
    outcome: ResponseOutcome,
    call: CallView,
    body: BodyAccess,
    advice: InspectAdvice | undefined,
  ): MaybePromise<InspectAdvice | undefined>;
}

/** How an inspector looks into a response. */
export interface BodyAccess {
  readonly attempt: number;
  readonly signal: AbortSignal | undefined;
  /** Opens the body; `undefined` if there is none. */
  readonly open: () => OpenedBody;
}

/** `inspectBody` makes it for the policy's `inspect`. */
export interface BodyInspector extends Inspector {
  /**
   * The outcome with the verdict on the body; the same outcome without a verdict.
   *
   * @throws HookError if the function that inspects fails, or returns an invalid value
   */
  look(outcome: ResponseOutcome, context: InspectionContext): Promise<Outcome>;
}

/** `costFromResponse` makes it for the policy's `actualCost`. */
export interface CostReader extends Plugin {
  readonly inspect: Inspector;
}
