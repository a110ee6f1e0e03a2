import { type Costs, type Grant, quotaBucket, type RequestTraits } from '@ebb/core';
import { seededRandom, virtualClock } from '@ebb/core/testing';
import { estimatedCost } from '@ebb/providers';

/** The account: per minute, and as much at once. */
const ACCOUNT = { requests: 1_000, output: 80_000 };

/** The longest answer that a request allows. */
export const MOST = 4_096;

const CALLERS = 400;
const MINUTE_MS = 60_000;
const MINUTES = 12;

/** The measurement begins after the burst of the start, in which costs are learned. */
const FROM_MS = 3 * MINUTE_MS;

/** How fast an answer is written, in tokens per second, and how often the server charges for it. */
const WRITTEN_PER_SECOND = 50;
const CHARGED_EVERY_MS = 1_000;

/** The tokens that a client reserves for a request, and the treatment of the unused rest. */
export interface Reserve {
  /** The part of the bound to reserve; or the quantile of the parts used by similar answers. */
  readonly share?: number;
  readonly quantile?: number;
  /** Charged when the answer has ended, given back then, or never given back. */
  readonly rest: 'settled' | 'given back' | 'kept';
  /** Whether answers say what is left of the account, and the client lowers its level to that. */
  readonly isTold?: boolean;
}

export interface EstimateResult {
  /** Tokens of answers, as a part of what came in for the account. */
  readonly used: number;
  /** Refused requests, as a part of all sent requests. */
  readonly refused: number;
  /** How long half of the requests waited at most before they were sent, in seconds. */
  readonly waited: number;
}

/** A unit of the account, which refills continuously and may be overdrawn. */
class Count {
  used = 0;
  #level: number;
  #atMs = 0;
  readonly #aMinute: number;

  constructor(aMinute: number) {
    this.#aMinute = aMinute;
    this.#level = aMinute;
  }

  left(nowMs: number): number {
    const cameIn = ((nowMs - this.#atMs) * this.#aMinute) / MINUTE_MS;
    this.#level = Math.min(this.#aMinute, this.#level + cameIn);
    this.#atMs = nowMs;
    return this.#level;
  }

  take(tokens: number, nowMs: number): void {
    this.#level = this.left(nowMs) - tokens;
    this.used += tokens;
  }
}

/** Four hundred callers of a language model, which charges output as it is written, behind a bucket of two units. */
export function callModel({ share, quantile, rest, isTold = false }: Reserve, seed = 1): EstimateResult {
  const clock = virtualClock({ startMs: 0 });
  const random = seededRandom(seed);
  const aSecond = (aMinute: number): { refillPerSecond: number; capacity: number } => ({
    ...{ refillPerSecond: aMinute / 60, capacity: aMinute },
  });
  const bucket = quotaBucket({
    limits: {
      requests: aSecond(ACCOUNT.requests),
      output: { ...aSecond(ACCOUNT.output), chargeOn: rest === 'settled' ? 'completion' : 'grant' },
    },
    clock,
  });
  const [requests, output] = [new Count(ACCOUNT.requests), new Count(ACCOUNT.output)];
  const learned = estimatedCost(() => ({ requests: 1, output: MOST }), { first: 0.1, quantile });
  const waits: number[] = [];
  let [sent, refused] = [0, 0];

  /** Lognormal, with a median of 300 tokens. */
  const lengthOf = (): number => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.min(MOST, Math.ceil(300 * Math.exp(0.8 * normal)));
  };
  interface Waiting {
    readonly request: RequestTraits;
    readonly sinceMs: number;
  }
  const line: Waiting[] = [];
  let stopTimer = (): void => {};

  const ask = (): void => {
    const request = { method: 'POST', url: 'https://model.test/', replayable: true, header: () => undefined };
    line.push({ request, sinceMs: clock.now() });
    serve();
  };
  const write = (left: number, done: () => void): void => {
    if (left <= 0) {
      done();
      return;
    }
    const now = Math.min(left, (WRITTEN_PER_SECOND * CHARGED_EVERY_MS) / 1_000);
    clock.schedule(
      () => {
        output.take(now, clock.now());
        write(left - now, done);
      },
      (now * 1_000) / WRITTEN_PER_SECOND,
    );
  };
  const send = ({ request, sinceMs }: Waiting, grant: Grant): void => {
    const nowMs = clock.now();
    const isCounted = nowMs >= FROM_MS;
    if (isCounted) {
      sent += 1;
      waits.push((nowMs - sinceMs) / 1_000);
    }
    const left = Math.max(0, output.left(nowMs));
    if (isTold) bucket.atMost({ output: left });
    if (requests.left(nowMs) < 1 || left === 0) {
      if (isCounted) refused += 1;
      if (rest !== 'kept') grant.settle({ output: 0 });
      clock.schedule(ask, 1_000 + 1_000 * random());
      return;
    }
    requests.take(1, nowMs);
    const length = lengthOf();
    write(length, () => {
      if (rest !== 'kept') grant.settle({ output: length });
      learned.learnerFor(request)({ output: length });
      ask();
    });
  };
  const serve = (): void => {
    stopTimer();
    for (let [first] = line; first !== undefined; [first] = line) {
      const bound = { requests: 1, output: Math.ceil((share ?? 1) * MOST) };
      const cost: Costs = quantile === undefined ? bound : (learned(first.request) as Costs);
      const grant = bucket.tryAcquire(cost);
      if (grant === undefined) {
        stopTimer = clock.schedule(serve, Math.max(1, Math.min(1_000, bucket.waitMs(cost))));
        return;
      }
      line.shift();
      send(first, grant);
    }
  };

  for (let caller = 0; caller < CALLERS; caller += 1) clock.schedule(ask, random() * 1_000);
  clock.tick(FROM_MS);
  const before = output.used;
  clock.tick(MINUTES * MINUTE_MS - FROM_MS);
  waits.sort((one, other) => one - other);
  return {
    used: (output.used - before) / (ACCOUNT.output * (MINUTES - FROM_MS / MINUTE_MS)),
    refused: refused / sent,
    waited: waits[Math.floor(waits.length / 2)] ?? 0,
  };
}
