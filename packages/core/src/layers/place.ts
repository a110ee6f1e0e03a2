import { closeCall, openCall, runIn } from '#layers';
import type { RequestTraits } from '../http/outcome.ts';
import type { LayeredCall, LayersFound, Passage } from './layer.ts';

/** The place of one call among the layers of ebb that its call passes through. */
export class LayerPlace {
  /** `undefined` if a function is called, which may send any request. */
  readonly #request: RequestTraits | undefined;
  readonly layersFound: LayersFound;
  /** What this layer shows to those below it; `undefined` before its first attempt. */
  passage: Passage | undefined;

  constructor(request: RequestTraits | undefined, around: LayersFound) {
    this.#request = request;
    this.layersFound = around;
  }

  /** True if another layer around this one retries, and this one sends once. */
  get isInner(): boolean {
    return this.layersFound.outer !== undefined;
  }

  get bucketsTaken(): readonly object[] {
    return this.layersFound.outer?.tookFrom ?? [];
  }

  get slotsHeld(): readonly object[] {
    return this.layersFound.slotsOf;
  }

  get paidBuckets(): Set<object> | undefined {
    return this.layersFound.maker?.paid;
  }

  /** Called before each attempt, with the bucket and the limit that it takes from. */
  enter(bucket: object | undefined, limit: object | undefined): void {
    const { outer, slotsOf } = this.layersFound;
    const call: LayeredCall = outer?.call ??
      this.passage?.call ?? { request: this.#request, open: false, dispatched: false, slotsOf };
    if (!this.#request) {
      call.hasFailed = false;
      call.paid = bucket && new Set([bucket]);
    }
    if (!outer) {
      // A download that breaks is resumed after its response was judged: the call opens again.
      if (!call.open) openCall(call);
      call.slotsOf = limit ? [...slotsOf, limit] : slotsOf;
    }
    const { bucketsTaken } = this;
    this.passage = { call, tookFrom: bucket ? [...bucketsTaken, bucket] : bucketsTaken };
  }

  /** Calls what sends the attempt, so that the layers below find this one. */
  sending<T>(send: () => T): T {
    return this.passage ? runIn(this.passage, send) : send();
  }

  /** True if the function has failed after a call that it made, which was retried and has failed. */
  get failedBelow(): boolean {
    return this.passage?.call.hasFailed === true;
  }

  /** The call has ended. Only the outermost layer calls this. */
  close(): void {
    if (this.passage?.call.open) closeCall(this.passage.call);
  }
}
