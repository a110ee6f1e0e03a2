import { inDevelopment } from '#dev-text';
import { nameOf } from '../base/check.ts';
import { must } from '../base/options.ts';
import type { Outcome } from '../http/outcome.ts';
import type { News } from '../news/emit.ts';
import type { StopReason } from '../news/events.ts';
import type { Grant } from './contracts.ts';
import type { Blocker, Part, PartCall, PartInstance, PlannedRetry } from './part.ts';

const NONE: readonly PartInstance[] = [];

/** No layer of ebb is around a call. */
export const ALONE: PartCall['layers'] = {
  isInner: false,
  bucketsTaken: [],
  slotsHeld: [],
  paidBuckets: undefined,
};

/** The call that parts are in: one that is sent at once, until it has to be made. */
export type Owner = Pick<
  PartCall,
  'policy' | 'request' | 'attempt' | 'layers' | 'givenFeedback' | 'toRetry' | 'emit'
>;

/** The parts of a policy in one call: they are asked all at once, and see the call by it, which holds what they have taken. */
export class PartsOfCall implements PartCall {
  owner: Owner;
  bucket: PartCall['bucket'];
  grant: Grant | undefined;
  bodyHolder: object | undefined;
  declare meteredGrant?: Grant | undefined;
  all: readonly PartInstance[] = NONE;
  /** True if one of them looks into responses. */
  reads = false;
  /** True if one of them changes the headers of attempts. */
  changesHeaders = false;
  /** True if one of them stands around the send of attempts. */
  wraps = false;

  constructor(owner: Owner) {
    this.owner = owner;
  }

  get policy(): PartCall['policy'] {
    return this.owner.policy;
  }

  get request(): PartCall['request'] {
    return this.owner.request;
  }

  get attempt(): number {
    return this.owner.attempt;
  }

  get layers(): PartCall['layers'] {
    return this.owner.layers;
  }

  get givenFeedback(): PartCall['givenFeedback'] {
    return this.owner.givenFeedback;
  }

  get toRetry(): PartCall['toRetry'] {
    return this.owner.toRetry;
  }

  emit(news: News): void {
    this.owner.emit(news);
  }

  /** Begins with all of them. If one refuses, those before it have begun, and are told of the end. @throws what a part refuses the call with */
  begin(parts: readonly Part[]): void {
    for (const part of parts) {
      const instance = part.begin(this);
      if (!instance) continue;
      // Not by `push`, which makes room for many more.
      this.all = this.all === NONE ? [instance] : [...this.all, instance];
      if (instance.judge) this.reads = true;
      if (instance.headers ?? instance.label) this.changesHeaders = true;
      if (instance.wrap) this.wraps = true;
      if (!instance.headers) continue;
      inDevelopment(() => {
        const takes = "'headers' beside the verb `headers`";
        must(nameOf(part.name, 'place'), takes, part.place, part.place === 'headers');
      });
    }
  }

  /** Takes the resources of all parts, or none: then it returns the one that is lacking. */
  take(): Blocker | undefined {
    const { all } = this;
    for (let at = 0; at < all.length; at += 1) {
      const blocker = all[at]?.acquire?.();
      if (blocker) {
        this.leave(undefined);
        return blocker;
      }
    }
    return undefined;
  }

  leave(outcome: Outcome | undefined): void {
    const { all } = this;
    for (let at = 0; at < all.length; at += 1) all[at]?.leave?.(outcome);
  }

  /** Asks whether a retry may be sent. */
  permit(retry: PlannedRetry): StopReason | undefined {
    for (const instance of this.all) {
      const reason = instance.permit?.(retry);
      if (reason) return reason;
    }
    return undefined;
  }

  skip(): void {
    for (const instance of this.all) instance.skip?.();
  }

  free(once?: Promise<void>): void {
    for (const instance of this.all) instance.free?.(once);
  }

  /** Before an attempt that follows another. @param once when the connection of that is free */
  again(once: Promise<void> | undefined): void {
    this.free(once);
    this.bucket = undefined;
    this.grant = undefined;
  }

  end(reason: StopReason): void {
    for (const instance of this.all) instance.end?.(reason);
  }

  /** Wraps the send in the layers of all parts. */
  wrap<T>(send: () => T): () => T {
    return this.all.reduce(
      (inner, instance) => (instance.wrap ? () => instance.wrap?.(inner) as T : inner),
      send,
    );
  }

  /** What watches the bodies of responses, if a part needs to know their end. */
  get whenBodyEnds(): PartInstance['whenBodyEnds'] {
    return this.all.find((instance) => instance.whenBodyEnds)?.whenBodyEnds;
  }
}
