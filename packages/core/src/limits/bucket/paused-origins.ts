import { devTextOf } from '#dev-text';
import { warn } from '../../base/errors.ts';
import { originOf, type RequestTraits } from '../../http/outcome.ts';
import type { Grant } from '../../policy/contracts.ts';
import { type Amount, inUnit, type Queue } from '../../queue/queue.ts';
import type { Gate, Gates, Waiter } from '../../queue/wait-queue.ts';
import { Level, type LevelSetup } from './level.ts';

/**
 * The most origins whose pauses are remembered, those with waiting requests apart. Beyond it the first that asked goes, which as a
 * rule ends first, and a warning says so.
 */
const MOST_ORIGINS = 1_000;

/** The tokens of an origin that has asked for a pause: none until its end. */
export class OriginLevel extends Level implements Gate<Grant> {
  declare line?: Queue<Waiter<Grant>>;
  /** The unit of the bucket that it has tokens of. */
  readonly #unit: number;

  constructor(setup: LevelSetup, unit: number, nowMs: number) {
    super(setup, nowMs);
    this.#unit = unit;
  }

  passMs(cost: Amount, nowMs: number): number {
    return this.waitMs(inUnit(cost, this.#unit), nowMs);
  }

  /** Takes the tokens of a request that passes. Returns the record of them for {@link Level.settle}. */
  pass(cost: Amount, nowMs: number): unknown {
    this.take(inUnit(cost, this.#unit), nowMs);
    return this.held;
  }

  giveBack(surplus: Amount, held: unknown, nowMs: number): void {
    this.settle(inUnit(surplus, this.#unit), held, nowMs);
  }
}

/**
 * The origins that have asked for a pause of a bucket. Each has a level of its own, which opens empty, and is dropped when it is full
 * again: until then its requests also take from it, and the requests of other origins go on.
 */
export class PausedOrigins implements Gates<Grant> {
  /** Those that asked first stand first. */
  readonly #levels = new Map<string, OriginLevel>();
  readonly crowded: Set<Gate<Grant>> = new Set();
  #hasWarned = false;

  /** The level of a request's origin. Usually there is none, and the URL is not parsed. */
  of(request: RequestTraits | undefined, nowMs: number): OriginLevel | undefined {
    return this.#levels.size > 0 && request ? this.find(originOf(request), nowMs) : undefined;
  }

  /** The level of an origin, if that is not full again. */
  find(origin: string, nowMs: number): OriginLevel | undefined {
    const level = this.#levels.get(origin);
    if (level === undefined || level.line?.first || !level.isIdle(nowMs)) return level;
    this.#levels.delete(origin);
    return undefined;
  }

  add(origin: string, level: OriginLevel, nowMs: number): OriginLevel {
    if (this.#levels.size >= MOST_ORIGINS && this.open(nowMs).length >= MOST_ORIGINS) this.#makeRoom();
    this.#levels.set(origin, level);
    return level;
  }

  /** Those that are not full again. */
  open(nowMs: number): readonly OriginLevel[] {
    for (const origin of this.#levels.keys()) this.find(origin, nowMs);
    return [...this.#levels.values()];
  }

  /** Forgets the first pause that no one waits for. */
  #makeRoom(): void {
    for (const [origin, { line }] of this.#levels) {
      if (line?.first) continue;
      this.#levels.delete(origin);
      break;
    }
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const text = devTextOf(
      () => `More than ${MOST_ORIGINS} origins of one bucket have asked for a pause: the first is forgotten`,
    );
    warn(text ?? `more than ${MOST_ORIGINS} origins`);
  }
}
