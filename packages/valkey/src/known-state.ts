import type { Quota } from '@ebb/core/bucket';
import type { RawReply } from './store-call.ts';

/** A reply, and the conclusions from it and earlier replies. */
export interface Reply extends RawReply {
  /** Grows with each reply; less than before for a reply that was overtaken by another. */
  readonly orderUs: number;
  /** When each unit is empty and tokens come in again, in milliseconds from now; below 0: how long ago that was. */
  readonly emptyInMs: readonly number[];
  /** How long the bucket stays paused, in milliseconds; 0 if it is not. */
  readonly pausedMs: number;
  /** Changes when requests may be served sooner, or later, than known: who takes part, and the tokens given back or lost. */
  readonly line: string;
  /** The store has lost the bucket since its last reply. */
  readonly lostBucket: boolean;
  /** How far the server's clock has been set ahead since the last reply, in milliseconds; below 0: back. */
  readonly steppedMs: number;
}

/**
 * The state to keep of a bucket without requests: times of the bucket and the clock, and six numbers of each unit. An object for each
 * bucket would take several times as much memory.
 */
export type IdleState = readonly number[];

/** The count of numbers in {@link IdleState} before the numbers of the units. */
const HEAD = 10;

/** A second is added because the clocks of a store and its replicas differ. */
const SLACK_US = 1e6;

/** The last state of the bucket that a process saw. It hands it in with each call, so that the store cannot lose it. */
export class KnownState {
  #last: RawReply | undefined;
  /** The offset of {@link Reply.orderUs} from the bucket's time: the order still grows if another epoch begins earlier. */
  #orderUs = 0;
  /** When the call of the last reply was sent. */
  #sentAtMs = Number.NEGATIVE_INFINITY;
  /** How far the bucket's time is ahead of ours at most, in milliseconds; `undefined` before the first reply. */
  #aheadMs: number | undefined;
  /** Until when the store has to keep the bucket, in our time. */
  #keptUntilMs = Number.NEGATIVE_INFINITY;
  #limits: readonly Quota[];

  /** @param limits of each unit, until the store says that others hold */
  constructor(limits: readonly Quota[]) {
    this.#limits = limits;
  }

  /** The bucket's time, in milliseconds: it is not later than this. `undefined` before the first reply. */
  timeMs(nowMs: number): number | undefined {
    return this.#aheadMs === undefined ? undefined : nowMs + this.#aheadMs;
  }

  /** The arguments of a call: the version of the limits, the epoch, when it was written, and the state. */
  get args(): [version: string, epoch: string, at: string, state: string] {
    const last = this.#last;
    if (last === undefined) return ['0', '0', '0', ''];
    const { shiftUs, pausedUs, resumedUs, version, processes, total, endsUs, frame } = last;
    const units = this.#limits.flatMap(({ refillPerSecond, capacity }, unit) => [
      ...[refillPerSecond, Math.ceil(capacity * 1e6), last.emptyUs[unit]],
      ...[last.givenUs[unit], last.baseUs[unit], last.averageLease[unit]],
    ]);
    const head = [shiftUs, pausedUs, resumedUs, version, processes, total, endsUs, frame];
    const state = [...head, ...units].join(' ');
    return [`${version}`, `${last.epoch}`, `${last.writtenUs}`, state];
  }

  /** Takes in a reply. A later call may have been answered before. */
  observe(raw: RawReply, sentAtMs: number, nowMs: number): Reply {
    const before = this.#last;
    const isSame = before === undefined || raw.epoch === 0 || raw.epoch === before.epoch;
    const isOld = before !== undefined && (isSame ? raw.atUs < before.atUs : sentAtMs < this.#sentAtMs);
    const reply: Reply = {
      ...raw,
      orderUs: isOld && !isSame ? Number.NEGATIVE_INFINITY : raw.atUs + this.#orderUs,
      emptyInMs: raw.emptyUs.map((us) => (us - raw.atUs) / 1_000),
      pausedMs: Math.max(0, raw.pausedUs - raw.atUs) / 1_000,
      line: [raw.epoch, ...raw.givenUs].join(' '),
      lostBucket: !isOld && !isSame && nowMs < this.#keptUntilMs,
      steppedMs: isOld || !isSame || before === undefined ? 0 : (before.shiftUs - raw.shiftUs) / 1_000,
    };
    if (isOld) return reply;
    this.#aheadMs = raw.atUs / 1_000 - sentAtMs;
    this.#sentAtMs = sentAtMs;
    if (raw.epoch === 0 || raw.tooLate) return reply;
    // Another epoch may be on another time.
    if (!isSame) this.#orderUs += Math.max(0, before.atUs - raw.atUs);
    this.#last = raw;
    this.#limits = raw.limits ?? this.#limits;
    this.#keep(raw, nowMs);
    return { ...reply, orderUs: raw.atUs + this.#orderUs };
  }

  /** @param startMs of the bucket's clock. `undefined` before the first reply */
  rest(startMs: number): IdleState | undefined {
    const last = this.#last;
    if (last === undefined) return undefined;
    const { atUs, writtenUs, frame, shiftUs, epoch, version, pausedUs, resumedUs } = last;
    return [
      ...[this.#keptUntilMs + startMs, (this.#aheadMs as number) - startMs],
      ...[atUs, writtenUs, frame, shiftUs, epoch, version, pausedUs, resumedUs],
      ...this.#limits.flatMap(({ refillPerSecond, capacity }, unit) => [
        ...[refillPerSecond, capacity, last.emptyUs[unit] as number],
        ...[last.givenUs[unit] as number, last.baseUs[unit] as number, last.averageLease[unit] as number],
      ]),
    ];
  }

  /** Goes on from the kept state, as if a reply had just come. */
  wake(rested: IdleState, startMs: number, nowMs: number): Reply {
    const at = (place: number): number => rested[place] as number;
    const column = (place: number): number[] =>
      this.#limits.map((_, unit) => rested[HEAD + 6 * unit + place] as number);
    const limits = column(0).map((refillPerSecond, unit) => {
      return { refillPerSecond, capacity: column(1)[unit] as number };
    });
    this.#last = {
      ...{ tooLate: false, atUs: at(2), writtenUs: at(3), frame: at(4), shiftUs: at(5), epoch: at(6) },
      ...{ version: at(7), pausedUs: at(8), resumedUs: at(9), processes: 1, total: 0, endsUs: 0 },
      ...{ share: undefined, waitMs: 0, granted: limits.map(() => 0), limits },
      ...{ emptyUs: column(2), givenUs: column(3), baseUs: column(4), averageLease: column(5) },
    };
    this.#limits = limits;
    this.#keptUntilMs = at(0) - startMs;
    this.#aheadMs = at(1) + startMs;
    // Times from now: more may have passed in the store than here, and never less.
    const nowUs = (nowMs + this.#aheadMs) * 1_000;
    return {
      ...this.#last,
      ...{ orderUs: at(2), line: '', lostBucket: false, steppedMs: 0 },
      emptyInMs: column(2).map((us) => (us - nowUs) / 1_000),
      pausedMs: Math.max(0, at(8) - nowUs) / 1_000,
    };
  }

  #keep({ atUs, emptyUs, pausedUs, resumedUs, endsUs }: RawReply, nowMs: number): void {
    const full = this.#limits.map(
      ({ capacity, refillPerSecond }, unit) => (emptyUs[unit] as number) + (capacity / refillPerSecond) * 1e6,
    );
    this.#keptUntilMs = nowMs + (Math.max(...full, pausedUs, resumedUs, endsUs) + SLACK_US - atUs) / 1_000;
  }
}
