import { devText } from '#dev-text';
import { nameOf } from '../base/check.ts';
import { must } from '../base/options.ts';
import type { Outcome } from '../http/outcome.ts';
import type { News } from '../news/emit.ts';
import type { StopReason } from '../news/events.ts';
import type { Grant } from './contracts.ts';
import type { Lack, Part, PartCall, PlannedRetry, Turn } from './part.ts';

const NONE: readonly Turn[] = [];

/** No layer of ebb is around a call. */
export const ALONE: PartCall['around'] = { isInner: false, taken: [], slots: [], paid: undefined };

/** The call that parts are in: one that is sent at once, until it has to be made. */
export type Owner = Pick<PartCall, 'policy' | 'request' | 'attempt' | 'around' | 'givenFeedback' | 'emit'>;

/** The parts of a policy in one call: they are asked all at once, and see the call by it, which holds what they have taken. */
export class PartsOfCall implements PartCall {
  owner: Owner;
  bucket: PartCall['bucket'];
  grant: Grant | undefined;
  limit: object | undefined;
  declare metered?: Grant | undefined;
  all: readonly Turn[] = NONE;
  /** True if one of them looks into responses. */
  reads = false;
  /** True if one of them changes the headers of attempts. */
  dresses = false;
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

  get around(): PartCall['around'] {
    return this.owner.around;
  }

  get givenFeedback(): PartCall['givenFeedback'] {
    return this.owner.givenFeedback;
  }

  emit(news: News): void {
    this.owner.emit(news);
  }

  /** Begins with all of them. If one refuses, those before it have begun, and are told of the end. @throws what a part refuses the call with */
  begin(parts: readonly Part[]): void {
    for (const part of parts) {
      const turn = part.begin(this);
      if (turn === undefined) continue;
      // Not by `push`, which makes room for many more.
      this.all = this.all === NONE ? [turn] : [...this.all, turn];
      if (turn.judge !== undefined) this.reads = true;
      if ((turn.headers ?? turn.label) !== undefined) this.dresses = true;
      if (turn.wrap !== undefined) this.wraps = true;
      if (turn.headers === undefined) continue;
      const takes = devText("'headers' beside the verb `headers`");
      must(nameOf(part.name, 'place'), takes, part.place, part.place === 'headers');
    }
  }

  /** Takes the resources of all parts, or none: then it returns the one that is lacking. */
  take(): Lack | undefined {
    const { all } = this;
    for (let at = 0; at < all.length; at += 1) {
      const lack = all[at]?.acquire?.();
      if (lack !== undefined) {
        this.leave(undefined);
        return lack;
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
    for (const turn of this.all) {
      const reason = turn.permit?.(retry);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }

  skip(): void {
    for (const turn of this.all) turn.skip?.();
  }

  free(once?: Promise<void>): void {
    for (const turn of this.all) turn.free?.(once);
  }

  /** Before an attempt that follows another. @param once when the connection of that is free */
  again(once: Promise<void> | undefined): void {
    this.free(once);
    this.bucket = undefined;
    this.grant = undefined;
  }

  end(reason: StopReason): void {
    for (const turn of this.all) turn.end?.(reason);
  }

  /** Wraps the send in the layers of all parts. */
  wrap<T>(send: () => T): () => T {
    return this.all.reduce((inner, turn) => (turn.wrap ? () => turn.wrap?.(inner) as T : inner), send);
  }

  /** What watches the bodies of responses, if a part needs to know their end. */
  get whenBodyEnds(): Turn['whenBodyEnds'] {
    return this.all.find((turn) => turn.whenBodyEnds !== undefined)?.whenBodyEnds;
  }
}
