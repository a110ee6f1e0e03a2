import { knowsAsyncContext } from '#around';
import { keepAlive } from '../../base/clock.ts';
import type { Outcome } from '../../http/outcome.ts';
import { admit } from '../../loop/admit.ts';
import type { AcquireOptions, OwnLimit, Slot } from '../../loop/contracts.ts';
import type { Call, Lack, Part, Turn } from '../../loop/part.ts';
import { whenBodyEnds } from './body-end.ts';

/** How many slots of each limit are held while user code runs, such as a body factory. */
const occupied = new WeakMap<OwnLimit, number>();

/** Every attempt holds a slot of the limit, until its connection is free. */
export class ConcurrencyPart implements Part {
  readonly name = 'concurrency';
  readonly place = 'slot';
  readonly admit: typeof admit = admit;
  readonly #limit: OwnLimit;

  constructor(limit: OwnLimit) {
    this.#limit = limit;
  }

  begin(call: Call): Turn | undefined {
    // The outermost layer has the slot.
    return call.around.isInner ? undefined : new SlotTurn(this.#limit, call);
  }
}

class SlotTurn implements Turn, Lack {
  readonly isSlot = true;
  readonly whenBodyEnds: typeof whenBodyEnds = whenBodyEnds;
  readonly #limit: OwnLimit;
  readonly #call: Call;
  #slot: Slot | undefined;

  constructor(limit: OwnLimit, call: Call) {
    this.#limit = limit;
    this.#call = call;
  }

  enter(): Lack | undefined {
    // A deadlock otherwise: it would wait for a call that waits for it.
    if (this.#slot !== undefined || this.#call.around.slots.includes(this.#limit)) return undefined;
    this.#take(this.#limit.tryAcquire());
    return this.#slot === undefined ? this : undefined;
  }

  #take(slot: Slot | undefined): void {
    this.#slot = slot;
    this.#call.limit = slot && this.#limit;
  }

  async wait(options: AcquireOptions): Promise<number> {
    const limit = this.#limit;
    // Where the runtime knows who makes a request, one of such user code does not wait. Elsewhere no slot may become free.
    const isBlocked = !knowsAsyncContext() && (occupied.get(limit) ?? 0) >= limit.stats().maxConcurrent;
    if (isBlocked) this.#call.emit({ type: 'blocked' });
    // Nothing else may do so: the slots may be held by responses that have arrived, but are not read.
    const slot = await keepAlive(limit.acquire(options));
    this.#take(slot);
    return slot.waitedMs;
  }

  leave(outcome: Outcome | undefined): void {
    if (outcome === undefined) this.free();
  }

  free(once?: Promise<void>): void {
    const slot = this.#slot;
    this.#take(undefined);
    if (slot === undefined || once === undefined) slot?.release();
    else void once.then(() => slot.release());
  }

  occupy(by: 1 | -1): void {
    const limit = this.#limit;
    occupied.set(limit, (occupied.get(limit) ?? 0) + by);
  }
}
