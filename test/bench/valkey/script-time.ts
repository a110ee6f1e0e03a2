// How long the server needs for a lease, by the number of units.
import { Redis } from 'iovalkey';
import { SCRIPT, SCRIPT_SHA1 } from '../../../packages/valkey/src/script.ts';
import {
  argumentsOf,
  limitsText,
  parseReply,
  type StoreCall,
  unitNames,
} from '../../../packages/valkey/src/store-call.ts';
import { KnownBucket } from '../../../packages/valkey/test/known-bucket.ts';

const ROUNDS = 40;
/** They come at once: between single calls the server would wait, and find its caches cold. */
const CALLS = 300;

/** A process that leases from a bucket that is never empty. */
class Lessee {
  readonly #known: KnownBucket;
  readonly #names: string;
  readonly #declared: string;
  readonly #units: number;
  readonly #call: StoreCall;

  constructor(units: number) {
    const each = <T>(value: T): T[] => new Array<T>(units).fill(value);
    const limits = each({ refillPerSecond: 1e6, capacity: 1e6 });
    this.#known = new KnownBucket(limits);
    this.#names = unitNames(units === 1 ? undefined : limits.map((_, unit) => `unit${unit}`));
    this.#declared = limitsText(limits);
    this.#units = units;
    const [least, most] = [each(1e6), each(5e6)];
    this.#call = { mode: 'lease', minAmounts: least, maxAvailable: most, maxFuture: least, withinMs: 1_000 };
  }

  args(): string[] {
    const own = [this.#declared, '', ...argumentsOf(this.#call, 600_000)];
    return [this.#call.mode, this.#names, '0', '0', ...this.#known.args, ...own];
  }

  learn(reply: unknown): void {
    this.#known.observe(parseReply(this.#call, reply, this.#units), 0, 0);
  }
}

/** The least of some rounds, which take turns, in microseconds a call. */
export async function scriptTimes(url: string, units: readonly number[]): Promise<readonly number[]> {
  const client = new Redis(url);
  await client.script('LOAD', SCRIPT);
  const lessees = units.map((count) => new Lessee(count));
  const least = units.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, lessee] of lessees.entries()) {
      const call = (): Promise<unknown> =>
        client.evalsha(SCRIPT_SHA1, 1, `units ${units[at]}`, ...lessee.args()) as Promise<unknown>;
      lessee.learn(await call());
      await client.config('RESETSTAT');
      await Promise.all(Array.from({ length: CALLS }, call));
      const [, time] =
        /cmdstat_evalsha:.*usec_per_call=([\d.]+)/.exec(await client.info('commandstats')) ?? [];
      least[at] = Math.min(least[at] as number, Number(time));
    }
  }
  client.disconnect();
  return least;
}
