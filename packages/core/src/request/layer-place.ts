import type { RequestTraits } from '../http/outcome.ts';
import type { ConcurrencyLimit, TokenBucket } from '../limits/contracts.ts';
import { type LayeredCall, type Passage, type Surroundings, within } from './layers.ts';

/** The place of one session among the layers of ebb that its call passes through. */
export class LayerPlace {
  readonly #request: RequestTraits;
  readonly #outer: Passage | undefined;
  readonly #slotsAround: readonly ConcurrencyLimit[];
  #passage: Passage | undefined;

  constructor(request: RequestTraits, { outer, slotsOf }: Surroundings) {
    this.#request = request;
    this.#outer = outer;
    this.#slotsAround = slotsOf;
  }

  /** True if another layer around this one retries, and this one sends once. */
  get isInner(): boolean {
    return this.#outer !== undefined;
  }

  /** The request of the call as the outermost layer has it; `undefined` for that layer itself. */
  get callRequest(): RequestTraits | undefined {
    return this.#outer?.call.request;
  }

  /** What this layer shows to those below it; `undefined` before its first attempt. */
  get passage(): Passage | undefined {
    return this.#passage;
  }

  /** Called before each attempt, with the bucket and the limit that it takes from. */
  enter(bucket: TokenBucket | undefined, limit: ConcurrencyLimit | undefined): void {
    const call: LayeredCall = this.#outer?.call ??
      this.#passage?.call ?? { request: this.#request, open: true, dispatched: false, slotsOf: [] };
    if (this.#outer === undefined) {
      // A download that breaks is resumed after its response was judged: the call opens again.
      call.open = true;
      call.slotsOf = limit === undefined ? this.#slotsAround : [...this.#slotsAround, limit];
    }
    const taken = this.#outer?.tookFrom ?? [];
    this.#passage = { call, tookFrom: bucket === undefined ? taken : [...taken, bucket] };
  }

  /** Calls what sends the attempt, so that the layers below find this one. */
  sending<T>(send: () => T): T {
    return this.#passage === undefined ? send() : within(this.#passage, send);
  }

  /** The call has ended. Only the outermost layer calls this. */
  close(): void {
    if (this.#passage !== undefined) this.#passage.call.open = false;
  }
}
