import type { Clock } from '../../base/clock.ts';
import { watchBody } from '../../bodies/peek.ts';
import { shortHeader } from '../../http/ceilings.ts';
import type { InspectedResponse, ServerEvent } from '../../http/inspected.ts';
import type { Judgement, Responded } from '../../http/outcome.ts';
import type { BodyWatcher } from '../../http/peek.ts';
import type { Grant, OwnBucket } from '../../loop/contracts.ts';
import type { LearnsCost } from '../../loop/costs.ts';
import type { Look, Part, PartCall, Turn } from '../../loop/part.ts';
import type { StopReason } from '../../news/reason.ts';
import { EventReader } from './events.ts';
import { MessageReader } from './messages.ts';
import { LineReader, PassedBody, PassedResponse } from './passed.ts';
import { checkCosts, reportFailure, type SaysCosts } from './said.ts';
import { Tally } from './tally.ts';

/** How answers are read. */
export interface CostSetup {
  readonly actual: SaysCosts;
  readonly remaining?: SaysCosts | undefined;
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** Settles the tokens of each attempt with what its answer says that it has cost. */
export class CostPart implements Part {
  readonly name = 'cost';
  readonly place = 'reading';
  readonly #setup: CostSetup;

  constructor(setup: CostSetup) {
    this.#setup = setup;
  }

  begin(call: PartCall): Turn {
    return new CostTurn(this.#setup, call);
  }
}

/** By bucket, when the request was granted whose answer has last said what is left, in milliseconds on the clock of the bucket. */
const heard = new WeakMap<object, number>();

async function lower(
  bucket: Pick<OwnBucket, 'atMost'>,
  grant: Grant,
  remaining: SaysCosts,
  response: InspectedResponse,
): Promise<void> {
  try {
    const left = (await remaining(response)) ?? undefined;
    if (left === undefined) return;
    checkCosts('its result', left);
    heard.set(bucket, grant.grantedAtMs);
    bucket.atMost?.(left, grant);
  } catch (error) {
    reportFailure('remaining', remaining, error);
  }
}

/** What passes as events, by content type. */
const EVENTS = /^\s*text\/event-stream/i;
/** What passes as messages: the event streams of AWS. */
const MESSAGES = 'application/vnd.amazon.eventstream';
/** What passes as lines of JSON. */
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

class CostTurn implements Turn {
  readonly #setup: CostSetup;
  readonly #call: PartCall;
  /** That of the last attempt. */
  #tally: Tally | undefined;

  constructor(setup: CostSetup, call: PartCall) {
    this.#setup = setup;
    this.#call = call;
  }

  judge(outcome: Responded, _: Judgement | undefined, look: Look): undefined {
    const { grant, policy, request } = this.#call;
    // A layer around this one may have taken the tokens: it settles them.
    if (grant === undefined) return undefined;
    const { learnerFor } = policy.cost as Partial<LearnsCost>;
    const tally = new Tally(grant, this.#setup.actual, learnerFor?.(request));
    this.#tally = tally;
    this.#watch(outcome, tally, look);
    return undefined;
  }

  #watch(outcome: Responded, tally: Tally, look: Look): void {
    const call = this.#call;
    const { request, policy } = call;
    const { clock } = policy;
    const { actual, maxBytes, timeoutMs } = this.#setup;
    const traits = { request, attempt: look.attempt };
    call.metered = call.grant;
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
        void this.#hear(outcome, response);
      };
      const said = tally.add(() => actual(response));
      if (said === undefined) heard();
      else void said.then(heard);
    } else void this.#hear(outcome, new PassedResponse(outcome, traits, ''));
    const end = endOf(tally, new WeakRef(watcher), clock, timeoutMs);
    watchBody(look.open(), { signal: look.signal, clock }, watcher, end);
  }

  /** Lowers the tokens of the bucket to the number that the server says is left. Never throws or rejects. */
  #hear(outcome: Responded, response: InspectedResponse): Promise<void> | undefined {
    const { remaining } = this.#setup;
    const { bucket, grant } = this.#call;
    if (remaining === undefined || bucket === undefined || grant === undefined) return undefined;
    const isOvertaken = grant.grantedAtMs < (heard.get(bucket) ?? Number.NEGATIVE_INFINITY);
    if (isOvertaken || Number(shortHeader(outcome, 'age') ?? 0) > 0) return undefined;
    return lower(bucket, grant, remaining, response);
  }

  end(reason: StopReason): void {
    // An inner layer does not judge: what the answer says counts.
    this.#tally?.judge(reason === 'success' || reason === 'left-to-outer-layer');
  }
}
