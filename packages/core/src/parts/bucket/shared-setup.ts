import { NUMBERS, type Queue } from '../../queue/queue.ts';
import { SteadyTime } from '../../queue/time.ts';
import { WAITING_BUCKET_OPTIONS, type WaitingBucketSetup } from './options.ts';

/** What buckets with the same options share: of a bucket per key there may be very many, and each would have its own. */
export class SharedSetup {
  readonly options: WaitingBucketSetup;
  readonly time: SteadyTime;
  #prototypeQueue: Queue<never> | undefined;

  constructor(options: WaitingBucketSetup) {
    this.options = options;
    this.time = new SteadyTime(options.clock);
  }

  /** A queue like theirs in which no request waits: it checks what a policy asks of a bucket that has none yet. */
  get prototypeQueue(): Queue<never> {
    this.#prototypeQueue ??= this.options.queue.make<never>(NUMBERS);
    return this.#prototypeQueue;
  }
}

/** So many sets of options are remembered. */
const MOST = 8;

const recent: SharedSetup[] = [];

/** What a bucket shares with others of the same options. Rates and capacities are its own. */
export function sharedSetup(setup: WaitingBucketSetup): SharedSetup {
  const names = Object.keys(WAITING_BUCKET_OPTIONS) as (keyof WaitingBucketSetup)[];
  let found = recent.find(({ options }) => names.every((name) => options[name] === setup[name]));
  if (found === undefined) {
    const options = Object.fromEntries(names.map((name) => [name, setup[name]]));
    found = new SharedSetup(options as unknown as WaitingBucketSetup);
    recent.unshift(found);
    recent.splice(MOST);
  }
  return found;
}
