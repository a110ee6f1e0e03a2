import { hasEndedBelow, sentNow } from '#around';
import type { ReadFeedback } from '../http/feedback.ts';
import type { FailureKind, Outcome, RequestTraits, Responded } from '../http/outcome.ts';
import {
  type Aside,
  type Client,
  dropped,
  failed,
  lateBy,
  outcomeOf,
  type Settled,
  sendBy,
  succeeded,
} from './client.ts';
import type { Grant } from './contracts.ts';
import { Deadline, OutOfTime } from './deadline.ts';
import { emit, type News } from './events.ts';
import type { KeptKey } from './header-changes.ts';
import type { Attempt, Trace } from './history.ts';
import type { HeaderChanges, SentHeaders } from './hooks.ts';
import { fail, judge, pass } from './judge.ts';
import { NO_LAYERS, type Surroundings, type Way } from './layer.ts';
import { LayerPlace } from './layer-place.ts';
import { look, reads } from './look.ts';
import type { PartCall } from './part.ts';
import type { PartsOfCall } from './parts-of-call.ts';
import { insideOf, type Policy } from './policy.ts';
import { prepare, type Readiness } from './prepare.ts';
import type { ReportedRequest } from './reported.ts';
import { errorOf, resultOf } from './result.ts';

/** What follows an attempt: its response is looked into, it is sent again, or the call ends. */
type Step = 'look' | 'again' | 'end';

const ALONE: PartCall['around'] = { isInner: false, taken: [], slots: [], paid: undefined };

/**
 * One request on its way through its policy: prepare → send → judge, until it may not go again. {@link run} is that for a client of
 * promises. A client of callbacks calls `prepare` and `judge` by itself.
 */
export class Call<T = unknown> implements PartCall {
  readonly policy: Policy;
  readonly request: RequestTraits;
  /** What its attempts are sent with. */
  readonly way: Way;
  readonly deadline: Deadline | undefined;
  /** The attempt in flight, from 1; 0 before the first. */
  attempt = 0;
  /** The delay before the next attempt, and the last one that the backoff rule has returned, in milliseconds. */
  delayMs = 0;
  previousBackoffMs: number | undefined;
  /** How long the attempt has waited for what its parts take, in milliseconds. */
  waitedMs = 0;
  /** Made before the first attempt; `undefined` for a policy without parts. */
  parts: PartsOfCall | undefined;
  grant: Grant | undefined;
  bucket: object | undefined;
  limit: object | undefined;
  /** The outcome that the planned retry follows. */
  toRetry: Outcome | undefined;
  /** The headers that the attempt changes; `undefined` for none. Known once it is sent. */
  headerChanges: SentHeaders | undefined;
  /** True once it has ended. */
  hasEnded = false;
  /** `undefined` unless another layer may be above or below. */
  place: LayerPlace | undefined;
  #history: Attempt[] | undefined;
  #client: Client<T> | undefined;
  #signal: AbortSignal | undefined;
  #since = 0;
  // Of requests with hooks, waits, timeouts or skipped chances: others save the room.
  declare key?: KeptKey | undefined;
  /** What hooks have returned for the next attempt. */
  declare pendingHeaders?: HeaderChanges | undefined;
  /** How long hooks and the body factory have taken for this attempt, and how long it has waited for its slot, in milliseconds. */
  declare hookMs?: number;
  declare slotMs?: number;
  /** How many chances were skipped: they count as retries. */
  declare skipped?: number;
  /** Whose request it is, if it has a key. */
  declare whose?: { readonly fairKey: string };
  declare metered?: Grant;
  /** When the attempt runs into its timeout, or that of the call, if parts read its response. */
  declare endsAtMs?: number;
  /** The last response that a retry followed, if the total timeout may end a later attempt; true if it is the result. */
  declare answered?: Outcome;
  declare fallsBack?: boolean;
  declare answer?: Settled | undefined;
  declare reported?: ReportedRequest;

  /** @param around the layers around the request; by default none */
  constructor(policy: Policy, request: RequestTraits, around: Surroundings = NO_LAYERS, way: Way = 'client') {
    this.policy = policy;
    this.request = request;
    this.way = way;
    // Reading a clock takes as long as half of the rest.
    this.deadline = policy.totalTimeoutMs === undefined ? undefined : new Deadline(policy);
    if (around !== NO_LAYERS || way === 'function')
      this.place = new LayerPlace(way === 'function' ? undefined : request, around);
  }

  /**
   * Sends the request until its policy stops, and settles as the client did at the last attempt.
   *
   * @throws what the last attempt of the client threw, unchanged
   * @throws the signal's reason, ThrottledError or HookError, as `prepare` does
   */
  run(client: Client<T>, signal?: AbortSignal): Promise<T> {
    this.#client = client;
    this.#signal = signal;
    const ready = this.#prepare();
    if (ready !== undefined) return this.#loop(undefined, undefined, ready);
    // Most requests need one attempt and no wait. They get by with one promise.
    return this.#send().then(
      (value) => this.#first({ value, failed: false }),
      (error: unknown) => this.#first({ value: error, failed: true }),
    );
  }

  /** Goes on with a first attempt that was sent, and has settled, before this call was made. @param since what `sentNow` was then */
  goOn(client: Client<T>, value: unknown, failed: boolean, since: number): T | Promise<T> {
    this.#client = client;
    this.attempt = 1;
    this.#since = since;
    return this.#first({ value, failed });
  }

  #first(at: Settled): T | Promise<T> {
    let step: Step;
    try {
      step = this.#judge(at);
      if (step === 'end') return resultOf(this, this.#of, at);
    } catch (error) {
      throw errorOf(this, this.#of, this.#signal, error);
    }
    return this.#loop(at, step);
  }

  async #loop(first?: Settled, from?: Step, waiting?: Promise<Readiness>): Promise<T> {
    try {
      for (let at = first, step = from, ready = waiting; ; ) {
        if (step === 'look') step = await this.#look(at as Settled);
        if (step === 'end') return resultOf(this, this.#of, at as Settled);
        if (step === 'again') ready = this.#setAside(at as Settled);
        const readiness = ready === undefined || (await ready);
        if (readiness === false) return resultOf(this, this.#of, at as Settled, true);
        // It may have run into its timeout before it was sent.
        const late = readiness === true ? undefined : failed(lateBy(this.#of, readiness));
        at = late ?? (await this.#send().then(succeeded, failed));
        step = this.#judge(at, late && 'timeout');
      }
    } catch (error) {
      throw errorOf(this, this.#of, this.#signal, error);
    }
  }

  #send(): Promise<T> {
    this.#since = sentNow();
    return sendBy(this.#of, this);
  }

  #prepare(aside?: Aside): Promise<Readiness> | undefined {
    return prepare(this, this.#signal, aside?.released, this.#of.makeBody);
  }

  get #of(): Client<T> {
    return this.#client as Client<T>;
  }

  #judge(at: Settled, kind?: FailureKind): Step {
    const outcome = outcomeOf(this.#of, at, kind ?? (this.#signal?.aborted ? 'aborted' : undefined));
    const isRepeated = at.failed && this.place?.failedBelow === true;
    if (isRepeated || hasEndedBelow(at.value, this.#since)) {
      pass(this, outcome);
      return 'end';
    }
    return reads(this, outcome) ? 'look' : this.#decide(at);
  }

  #decide(at: Settled): Step {
    try {
      const hasAnswer = this.answer !== undefined && this.answer.aside?.isLost !== true;
      return judge(this, at.outcome as Outcome, hasAnswer).retry ? 'again' : 'end';
    } catch (hookError) {
      throw dropped(this.#of, this, at, hookError);
    }
  }

  async #look(at: Settled): Promise<Step> {
    const signal = this.#signal;
    const seen = at.outcome as Responded;
    try {
      at.outcome = await look(this, seen, (maxBytes) => this.#of.peek?.(at.value, maxBytes), signal);
    } catch (error) {
      const isAbort = signal?.aborted === true && error === signal.reason;
      dropped(this.#of, this, at, error);
      if (!isAbort && !(error instanceof OutOfTime)) {
        fail(this, seen, error);
        throw error;
      }
      // The response came, and what it means was not known in time: no one gets it.
      at.value = isAbort ? error : lateBy(this.#of, error as OutOfTime);
      at.failed = true;
      at.outcome = outcomeOf(this.#of, at, isAbort ? 'aborted' : 'timeout');
    }
    return this.#decide(at);
  }

  #setAside(at: Settled): Promise<Readiness> | undefined {
    at.aside = this.#of.setAside(at.value, this, this.#signal);
    if (this.answered !== undefined) this.answer = at;
    return this.#prepare(at.aside);
  }

  get givenFeedback(): ReadFeedback | false | undefined {
    return insideOf(this.policy).feedback;
  }

  get around(): PartCall['around'] {
    return this.place ?? ALONE;
  }

  /** The attempts that were judged, and the chances that were skipped. It grows while the call goes on. */
  get history(): Attempt[] {
    this.#history ??= [];
    return this.#history;
  }

  /** What to note on the result. */
  get trace(): Trace {
    const { grant, history } = this;
    return grant === undefined ? history : { attempts: history, grant };
  }

  /** Tells all who want to know. */
  emit(news: News): void {
    emit(this, news);
  }
}
