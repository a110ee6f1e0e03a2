import type {
  BodyAccess,
  CallView,
  Clock,
  CostReader,
  Grant,
  InspectedResponse,
  ServerEvent,
  StopReason,
  TokenBucket,
} from '@ebb/core';
import {
  type BodyWatcher,
  type Complete,
  type CostLearner,
  callable,
  countingNumber,
  devText,
  type OptionTable,
  positive,
  type ResponseOutcome,
  readOptions,
  shortHeader,
  watchBody,
  wrongType,
} from '@ebb/core/internal';

import { EventReader, LineReader, MessageReader, PassedBody, PassedResponse } from './streams.ts';
import { type CostOfResponse, checkCosts, reportFailure, Tally } from './tally.ts';

/** Options of {@link costFromResponse}. */
export interface CostFromResponseOptions {
  /**
   * Reads the remaining quota from headers and bodies. The result lowers the tokens of the bucket, and never raises them; for a bucket with
   * `atMost`. Called once for each response. For an event stream only the headers can be read. A cached response (`Age`) is not read, and a
   * response that another has overtaken changes nothing.
   * @default none
   */
  readonly remaining?: CostOfResponse | undefined;
  /**
   * The most of a body, or of one event or line of a stream, that is kept, in bytes.
   * @default 65_536
   */
  readonly maxBytes?: number | undefined;
  /**
   * How long `actual` may take after the end of a body, in milliseconds. After that the tokens stay as they were taken.
   * @default 1_000
   */
  readonly timeoutMs?: number | undefined;
}

const OPTIONS: OptionTable<CostFromResponseOptions, 'remaining'> = {
  remaining: { check: callable },
  maxBytes: { check: countingNumber, default: 65_536 },
  timeoutMs: { check: positive, default: 1_000 },
};

/** How answers are read. */
type CostSetup = Complete<CostFromResponseOptions, 'remaining'> & { readonly actual: CostOfResponse };

async function lower(
  bucket: Pick<TokenBucket, 'atMost'>,
  grant: Grant,
  remaining: CostOfResponse,
  response: InspectedResponse,
): Promise<void> {
  try {
    const left = (await remaining(response)) ?? undefined;
    if (left === undefined) return;
    checkCosts('its result', left);
    bucket.atMost?.(left, grant);
  } catch (error) {
    reportFailure('remaining', remaining, error);
  }
}

/** The content type of bodies that are read as events. */
const EVENTS = /^\s*text\/event-stream/i;
/** The content type of bodies that are read as messages: the event streams of AWS. */
const MESSAGES = 'application/vnd.amazon.eventstream';
/** The content types of bodies that are read as lines of JSON. */
const LINES = /ndjson|jsonl|json-?lines/i;

type Watcher = BodyWatcher & { end?(): void };

/** Holds nothing from which the response can be reached, which could then never be collected. */
function endOf(
  tally: Tally,
  watcher: WeakRef<Watcher>,
  clock: Clock,
  patienceMs: number,
): () => Promise<void> | undefined {
  return () => {
    watcher.deref()?.end?.();
    return tally.end(clock, patienceMs);
  };
}

/** Settles the tokens of each attempt with what its answer says that it has cost. */
class AnswerReader {
  readonly #setup: CostSetup;
  /** The tally of the last attempt of each call. */
  readonly #tallies = new WeakMap<CallView, Tally>();

  constructor(setup: CostSetup) {
    this.#setup = setup;
  }

  judge(outcome: ResponseOutcome, call: CallView, look: BodyAccess): undefined {
    const { grant, policy, request } = call;
    // A layer around this one may have taken the tokens: it settles them.
    if (grant === undefined) return undefined;
    const { learnerFor } = policy.cost as Partial<CostLearner>;
    const tally = new Tally(grant, this.#setup.actual, learnerFor?.(request));
    this.#tallies.set(call, tally);
    this.#watch(outcome, call, tally, look);
    return undefined;
  }

  #watch(outcome: ResponseOutcome, call: CallView, tally: Tally, look: BodyAccess): void {
    const { request, policy } = call;
    const { clock } = policy;
    const { actual, maxBytes, timeoutMs } = this.#setup;
    const traits = { request, attempt: look.attempt };
    call.meteredGrant = call.grant;
    const onEvent = (event: ServerEvent): void => {
      void tally.add(() => actual(new PassedResponse(outcome, traits, event.data, event)));
    };
    const type = outcome.header('content-type') ?? '';
    let watcher: Watcher;
    if (EVENTS.test(type)) watcher = new EventReader(maxBytes, onEvent);
    else if (type.startsWith(MESSAGES)) watcher = new MessageReader(maxBytes, onEvent);
    else if (LINES.test(type)) watcher = new LineReader(maxBytes, onEvent);
    else watcher = new PassedBody(maxBytes);
    if (watcher instanceof PassedBody) {
      const response = new PassedResponse(outcome, traits, watcher.text);
      // Gives tokens back first: the server counts them among those that are left.
      const heard = (): void => {
        tally.settle();
        void this.#hear(outcome, call, response);
      };
      const said = tally.add(() => actual(response));
      if (said === undefined) heard();
      else void said.then(heard);
    } else void this.#hear(outcome, call, new PassedResponse(outcome, traits, ''));
    const end = endOf(tally, new WeakRef(watcher), clock, timeoutMs);
    watchBody(look.open(), { signal: look.signal, clock }, watcher, end);
  }

  /** Lowers the tokens of the bucket to the number that the server says is left. Never throws or rejects. */
  #hear(
    outcome: ResponseOutcome,
    { bucket, grant }: CallView,
    response: InspectedResponse,
  ): Promise<void> | undefined {
    const { remaining } = this.#setup;
    if (remaining === undefined || bucket === undefined || grant === undefined) return undefined;
    if (Number(shortHeader(outcome, 'age') ?? 0) > 0) return undefined;
    return lower(bucket, grant, remaining, response);
  }

  ended(call: CallView, reason: StopReason): void {
    // An inner layer does not judge: what the answer says counts.
    this.#tallies.get(call)?.judge(reason === 'success' || reason === 'outer-client-retries');
  }
}

/**
 * Reads from responses what their requests have cost, and settles their tokens with it. For the policy's `actualCost`. A function
 * apart, so that programs without it do not carry its code.
 *
 * `actual` is called with each response, refusals too, and reads the body on its way to the caller: no response is held back, and `text()`
 * and `json()` resolve when the body has been read. For a stream of events (also of AWS) or of lines of JSON, `actual` is called with each
 * event or line: `json()`, `text()` and `firstEvent()` then give the event or line, and the last answer counts for each unit. The caller
 * gets the same bytes; no more than one event is kept.
 *
 * The tokens are settled as soon as `actual` has answered, or with the end of the body: ended, failed, cancelled or collected. A unit of
 * unknown cost stays as it was taken. A failure here is reported once and never takes a response away from the caller.
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, tokenBucket } from '@ebb/core';
 * import { costFromResponse } from '@ebb/providers';
 *
 * interface Answer {
 *   readonly usage?: { readonly total_tokens: number } | null;
 * }
 *
 * const actualCost = costFromResponse(async (response) => {
 *   if (response.status === 429) return 0;
 *   return ((await response.json()) as Answer | undefined)?.usage?.total_tokens;
 * });
 * // 40,000 tokens a minute. Each request takes 4,000, and gives back what it has not used.
 * const bucket = tokenBucket({ refillPerSecond: 40_000 / 60, capacity: 40_000 });
 * const policy = createPolicy({ bucket, cost: 4_000, actualCost });
 * ```
 */
export function costFromResponse(actual: CostOfResponse, options: CostFromResponseOptions = {}): CostReader {
  if (typeof actual !== 'function')
    throw wrongType('costFromResponse: actual', devText('a function'), actual);
  const setup = { actual, ...readOptions('costFromResponse', options, OPTIONS) };
  const reader = new AnswerReader(setup);
  return {
    name: 'cost',
    inspect: { judge: (outcome, call, body) => reader.judge(outcome, call, body) },
    ended: (call, reason) => reader.ended(call, reason),
  };
}
