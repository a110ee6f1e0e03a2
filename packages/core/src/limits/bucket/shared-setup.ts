import { NUMBERS, type Queue } from '../../queue/queue.ts';
import { SteadyTime } from '../../queue/time.ts';
import { WAITING_BUCKET_OPTIONS, type WaitingBucketSetup } from './options.ts';

/** The objects that buckets with the same options share. Very many buckets, one for each key, would otherwise have their own. */
export class SharedSetup {
  readonly options: WaitingBucketSetup;
  readonly time: SteadyTime;
  #prototypeQueue: Queue<never> | undefined;

  constructor(options: WaitingBucketSetup) {
    this.options = options;
    this.time = new SteadyTime(options.clock);
  }

  /** An empty queue like the queues of the buckets: it checks the options of a policy for a bucket without a queue. */
  get prototypeQueue(): Queue<never> {
    this.#prototypeQueue ??= this.options.queue.make<never>(NUMBERS);
    return this.#prototypeQueue;
  }
}

/** The most sets of options to remember. */
const MOST = 8;

const recent: SharedSetup[] = [];

/** Returns the objects that buckets with these options share. Each bucket has its own rate and capacity. */
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
