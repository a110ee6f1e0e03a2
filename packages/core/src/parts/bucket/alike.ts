import type { Clock } from '../../base/clock.ts';
import { NUMBERS, type Queue } from '../../queue/queue.ts';
import { SteadyTime } from '../../queue/time.ts';
import { WAITING_BUCKET_OPTIONS, type WaitingBucketSetup } from './options.ts';

/** What buckets with the same options share: of a bucket per key there may be very many, and each would have its own. */
export class Alike {
  readonly setup: WaitingBucketSetup;
  /** Shared by all buckets of a clock, whatever their options. */
  readonly time: SteadyTime;
  #sample: Queue<never> | undefined;

  constructor(setup: WaitingBucketSetup, time: SteadyTime) {
    this.setup = setup;
    this.time = time;
  }

  /** A queue like theirs in which no request waits: it checks the options of requests for a bucket that has none yet. */
  get sample(): Queue<never> {
    this.#sample ??= this.setup.queue.make<never>(NUMBERS);
    return this.#sample;
  }
}

/** So many sets of options are remembered for a clock. */
const MOST = 8;

const byClock: WeakMap<Clock, Alike[]> = /* @__PURE__ */ new WeakMap();

/** What a bucket with these options shares with others. Options that it does not have are left out. */
export function alike(setup: WaitingBucketSetup): Alike {
  const names = Object.keys(WAITING_BUCKET_OPTIONS) as (keyof WaitingBucketSetup)[];
  const known = byClock.get(setup.clock) ?? [];
  let found = known.find((one) => names.every((name) => one.setup[name] === setup[name]));
  if (found === undefined) {
    const own = Object.fromEntries(names.map((name) => [name, setup[name]]));
    found = new Alike(own as unknown as WaitingBucketSetup, known[0]?.time ?? new SteadyTime(setup.clock));
    byClock.set(setup.clock, [found, ...known].slice(0, MOST));
  }
  return found;
}
