import type { Clock } from '../../base/clock.ts';
import { Look as BodyLook, type LookBounds, within } from '../../bodies/look.ts';
import { peekAt } from '../../bodies/opened.ts';
import { watchBody } from '../../bodies/watch-body.ts';
import { shortHeader } from '../../http/ceilings.ts';
import type { InspectedResponse } from '../../http/inspected.ts';
import type { Judgement, Responded } from '../../http/outcome.ts';
import type { Grant, OwnBucket } from '../../loop/contracts.ts';
import type { LearnsCost } from '../../loop/costs.ts';
import type { Call, Look, Part, Turn } from '../../loop/part.ts';
import type { StopReason } from '../../loop/reason.ts';
import { EventReader, EventResponse } from './events.ts';
import { checkCosts, hasFailed, type SaysCosts } from './said.ts';
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

  begin(call: Call): Turn {
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
    hasFailed('remaining', remaining, error);
  }
}

/** Does not hold what it is made from. */
function endOf(tally: Tally, clock: Clock, patienceMs: number): () => void {
  return () => tally.end(clock, patienceMs);
}

class CostTurn implements Turn {
  readonly #setup: CostSetup;
  readonly #call: Call;
  /** That of the last attempt. */
  #tally: Tally | undefined;

  constructor(setup: CostSetup, call: Call) {
    this.#setup = setup;
    this.#call = call;
  }

  read(outcome: Responded, _: Judgement | undefined, look: Look): Promise<undefined> | undefined {
    const { grant, policy, request } = this.#call;
    // A layer around this one may have taken the tokens: it settles them.
    if (grant === undefined) return undefined;
    const { learnerFor } = policy.cost as Partial<LearnsCost>;
    const tally = new Tally(grant, this.#setup.actual, learnerFor?.(request));
    this.#tally = tally;
    const isStream = outcome.header('content-type')?.toLowerCase().includes('text/event-stream') === true;
    if (!isStream) return this.#look(outcome, tally, look);
    this.#watch(outcome, tally, look);
    return undefined;
  }

  #watch(outcome: Responded, tally: Tally, look: Look): void {
    const call = this.#call;
    const { request, policy } = call;
    const { actual, maxBytes, timeoutMs } = this.#setup;
    const { attempt, signal } = look;
    call.metered = call.grant;
    void this.#hear(outcome, new EventResponse(outcome, request, attempt));
    const reader = new EventReader(maxBytes, (event) => {
      void tally.add(() => actual(new EventResponse(outcome, request, attempt, event)));
    });
    const context = { method: request.method, status: outcome.status, clock: policy.clock, signal };
    watchBody(look.open(maxBytes), context, reader, endOf(tally, policy.clock, 2 * timeoutMs));
  }

  async #look(outcome: Responded, tally: Tally, look: Look): Promise<undefined> {
    const { request, policy } = this.#call;
    const { clock } = policy;
    const { actual, maxBytes, timeoutMs } = this.#setup;
    const bounds: LookBounds = { bytes: maxBytes, timeoutMs, clock };
    const body = { method: request.method, status: outcome.status, clock, signal: look.signal };
    const open = (most: number) => peekAt(look.open(most), most, body);
    const response = new BodyLook(outcome, { ...look, open, request, clock }, bounds);
    const said = tally.add(() => actual(response));
    if (said !== undefined) await within(said, bounds, look.signal);
    // First: what goes back now is part of what the server says is left.
    tally.settle();
    if (tally.isSettled) this.#call.metered = this.#call.grant;
    const left = this.#hear(outcome, response);
    if (left !== undefined) await within(left, bounds, look.signal);
    response.end();
    return undefined;
  }

  /** Lowers what the bucket has to what the server says is left. Never throws or rejects. */
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
