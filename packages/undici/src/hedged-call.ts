import type { Duplex } from 'node:stream';
import type { HedgeRecord, Outcome } from '@ebb/core';
import { sending } from '@ebb/core/adapter';
import { HEDGE_RECORDS, type Hedge, type Hedging, noteHedges, Race } from '@ebb/core/hedging';
import type { Dispatcher } from 'undici';
import { Attempt } from './attempt.ts';
import { type AttemptListener, uploadEvents } from './attempt-listener.ts';
import { Downstream } from './downstream.ts';
import { requestAbortedError } from './errors.ts';
import { hideMissingMethods } from './gaps.ts';
import { changedHeaders } from './header-changes.ts';
import type { RawHeaders, ResponseHead, ResponseHeaders } from './headers.ts';
import { failureKindOf, failureOutcome, responseOutcome, Traits } from './traits.ts';

type Options = Dispatcher.DispatchOptions;

/** A loser that never had a connection: its tokens go back. */
const UNSENT: Outcome = { type: 'failure', kind: 'connect', error: undefined, redirected: false };

/** One send. */
export class Try extends Attempt {
  readonly hedge: Hedge | undefined;
  /** `undefined` while it is under way. */
  outcome: Outcome | undefined;
  /** Set when it has failed before its response. */
  error: unknown;

  constructor(call: AttemptListener<Attempt>, hedge?: Hedge) {
    super(call);
    this.hedge = hedge;
  }
}

class CallRace extends Race {
  readonly #call: HedgedCall;

  constructor(hedging: Hedging, traits: Traits, call: HedgedCall) {
    super(hedging, traits);
    this.#call = call;
  }

  wake(): void {
    this.#call.due();
  }

  get isOpen(): boolean {
    return this.#call.isOpen;
  }
}

/** A request that is hedged. Its handler sees one request: one controller, and the response of the winning try. */
export class HedgedCall extends Downstream implements AttemptListener<Try> {
  readonly #hedging: Hedging;
  readonly #dispatch: Dispatcher.Dispatch;
  readonly #options: Options;
  readonly #traits: Traits;
  readonly #race: CallRace;
  readonly #first: Try;
  #tries: readonly Try[];
  /** The one that the handler gets. */
  #winner: Try | undefined;
  /** In the context that the handler gets, copies of which share it. */
  readonly #records: HedgeRecord[] = [];

  /** @throws HookError if `keyOf` fails */
  constructor(
    hedging: Hedging,
    dispatch: Dispatcher.Dispatch,
    options: Options,
    traits: Traits,
    handler: Dispatcher.DispatchHandler,
  ) {
    super(handler);
    this.#hedging = hedging;
    this.#dispatch = dispatch;
    this.#options = options;
    this.#traits = traits;
    this.#race = new CallRace(hedging, traits, this);
    this.#first = new Try(this);
    this.#tries = [this.#first];
  }

  /** @throws what the dispatcher throws */
  start(): boolean {
    const first = this.#first;
    const { onBodySent, onRequestSent } = this.handler;
    // Only the first try reports its upload: the hedges upload the same body.
    if (onBodySent ?? onRequestSent) Object.assign(first, uploadEvents(this));
    first.restoreMethods = hideMissingMethods(this.handler, this.#options, first);
    try {
      return this.#dispatch(this.#options, first);
    } catch (error) {
      this.#race.firstSettled(500);
      throw error;
    }
  }

  get isOpen(): boolean {
    return !this.controller.aborted && this.#winner === undefined && this.#first.outcome === undefined;
  }

  /** Called by the timer of any request. */
  due(): void {
    this.runInAsyncScope(this.#hedge, this);
  }

  #hedge(): void {
    if (!this.isOpen) return;
    const options = this.#options;
    const url = this.#hedging.target(this.#traits);
    if (url === null) return;
    const own = url === undefined ? options : { ...options, origin: new URL(url).origin };
    const traits = url === undefined ? this.#traits : new Traits(own, undefined, '');
    void this.#race.sendHedge(traits, url !== undefined, (hedge) => {
      const { headerChanges } = hedge.call;
      const sent = headerChanges ? { ...own, headers: changedHeaders(own.headers, headerChanges) } : own;
      const one = new Try(this, hedge);
      this.#tries = [...this.#tries, one];
      try {
        sending(hedge.call, () => this.#dispatch(sent as Options, one));
      } catch (error) {
        one.onResponseError(undefined, error);
      }
    });
  }

  sent(attempt: Try): void {
    const isAgain = attempt === this.#first && attempt.starts > 1;
    this.open({ ...attempt.context, [HEDGE_RECORDS]: this.#records }, isAgain);
  }

  informed(attempt: Try, head: ResponseHead): void {
    this.inform(attempt, head);
  }

  responded(attempt: Try, head: ResponseHead): void {
    const { status } = head;
    const outcome = responseOutcome(attempt, status, head.headers);
    attempt.outcome = outcome;
    if (attempt === this.#first) this.#race.firstSettled(status);
    const isFailure = (): boolean => this.#race.isFailure(outcome, this.#traits);
    if (this.#tries.length === 1 || !this.runInAsyncScope(isFailure)) this.#win(attempt, head);
    else {
      attempt.hold(head);
      this.#decide();
    }
  }

  failed(attempt: Try, error: unknown): void {
    attempt.error = error;
    attempt.outcome = failureOutcome(attempt, failureKindOf(attempt, error), error, this.#options);
    if (attempt === this.#first) this.#race.firstSettled(500);
    this.#decide();
  }

  /** If all tries have failed, the first one counts. */
  #decide(): void {
    const first = this.#first;
    const isLost = this.controller.aborted || this.#tries.every(({ outcome }) => outcome !== undefined);
    if (this.#winner !== undefined || !isLost) return;
    const { error, kept } = first;
    if (this.controller.aborted || error !== undefined || kept === undefined) this.#lose(error);
    else this.#win(first, kept.head);
  }

  #win(winner: Try, head: ResponseHead): void {
    this.#settle(winner);
    if (winner.kept !== undefined) {
      winner.play(() => this.pass(winner.kept, head));
    } else {
      winner.forward();
      this.pass(winner.connection, head);
    }
  }

  #lose(error: unknown): void {
    const { controller } = this;
    const reason = controller.aborted ? (controller.reason ?? requestAbortedError()) : error;
    this.#settle(this.#first);
    if (!controller.aborted) noteHedges(reason, this.#records);
    this.passError(reason, this.#first.connection);
  }

  /** Ends all tries but one. */
  #settle(winner: Try): void {
    const first = this.#first;
    this.#winner = winner;
    for (const one of this.#tries) {
      if (one !== winner && !one.over)
        one.drop(requestAbortedError('Another try of this request was faster'));
      if (one.starts === 0) one.outcome ??= UNSENT;
      if (one.hedge) one.hedge.outcome = one.outcome;
    }
    if (this.#tries.length === 1) this.#race.over(undefined, undefined);
    // A response comes in the async context of whichever request has opened its connection.
    else this.#records.push(...this.runInAsyncScope(() => this.#race.over(winner.hedge, first.outcome)));
  }

  aborted(reason: unknown): void {
    if (this.over) return;
    const winner = this.#winner;
    if (winner !== undefined) winner.abort(reason);
    else for (const one of this.#tries) one.abort(reason);
  }

  upgraded(_: Try, head: ResponseHead, socket: Duplex): unknown {
    this.#settle(this.#first);
    return this.passUpgrade(head, socket);
  }

  arrived(): void {}

  data(_: Try, chunk: Buffer): void {
    this.passData(chunk);
  }

  ended(_: Try, trailers: ResponseHeaders, rawTrailers: RawHeaders | undefined): void {
    this.passEnd(trailers, rawTrailers);
  }

  broke(_: Try, error: unknown): void {
    this.passError(error, this.#winner?.connection);
  }

  protected note(): void {}
}
