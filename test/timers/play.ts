import { type Fakes, own, type Row, turns } from './fakes.ts';
import { type Packages, type Situation, situations } from './situations.ts';

/** What came of a situation. Times are in units: those of the fakes, or none if time is real or does not move. */
export interface Played {
  readonly result: unknown;
  readonly sentAt: readonly number[];
  readonly endsAt: number;
  /** How many timers the fakes have in the end. */
  readonly pending?: number | undefined;
}

/** When the timers are faked. After ebb is loaded also means: after clients and limits were made. */
export const WHENS = ['before ebb is loaded', 'after ebb is loaded', 'before, and no more'] as const;
export type When = (typeof WHENS)[number];

/** The entry of the packages that is loaded. Tests with jsdom have that for browsers. */
export type Entry = 'Node' | 'browsers';

export const TICKS_A_UNIT = 10;
/** So long that the real time of a test is too short to count where `Date` is not faked. */
const UNIT_MS = 60_000;
const REAL_UNIT_MS = 100;

/** The result of what does not end. */
export const HANGS = 'it hangs';
/** When a situation hangs, by the ticks of fakes, or else by real time. All take a few units. */
const HANGS_AFTER_TICKS = 300;
const HANGS_AFTER_MS = 10_000;

/** Lets a little real time pass. */
const pause = (): Promise<void> => new Promise((resolve) => void own.setTimeout(resolve, 5));

class Play {
  readonly #fakes: Fakes | undefined;
  readonly #call: () => Promise<unknown>;
  readonly #sentAt: number[] = [];
  #ticks = 0;

  /** @param fakes what moves the time; without it time is real */
  constructor(situation: Situation, packages: Packages, fakes?: Fakes) {
    this.#fakes = fakes;
    const send = (): void => void this.#sentAt.push(this.#now);
    this.#call = situation.prepare({ packages, unitMs: fakes ? UNIT_MS : REAL_UNIT_MS, send });
  }

  get #now(): number {
    return this.#ticks / TICKS_A_UNIT;
  }

  async run(): Promise<Played> {
    const { tick, pending } = this.#fakes ?? {};
    let end: Pick<Played, 'result' | 'endsAt'> | undefined;
    const over = (result: unknown): void => {
      end ??= { result, endsAt: this.#now };
    };
    this.#call().then(over, (error: unknown) => over(String(error)));
    const hangs = own.setTimeout(() => over(HANGS), HANGS_AFTER_MS);
    await turns();
    while (end === undefined) {
      if (this.#ticks === HANGS_AFTER_TICKS) over(HANGS);
      this.#ticks += tick ? 1 : 0;
      tick?.(UNIT_MS / TICKS_A_UNIT);
      await (tick ? turns() : pause());
    }
    own.clearTimeout(hangs);
    // Ticks and turns of Node, where they are faked, are no timers.
    for (let left = 4; left > 0; left -= 1) {
      tick?.(0);
      await turns();
    }
    return { ...end, sentAt: this.#sentAt, pending: pending?.() };
  }
}

/** undici runs in Node alone. */
export function situationsOf(entry: Entry): Situation[] {
  return situations.filter(({ name }) => entry === 'Node' || !name.startsWith('undici'));
}

/** Plays all situations under fakes. In real time they share it, but for those that set the clock of all. */
export async function playAll(
  row: Row,
  when: When,
  entry: Entry,
  load: () => Packages | Promise<Packages>,
): Promise<Played[]> {
  const fakes = row.make();
  const isGone = when === 'before, and no more';
  const isAfter = when === 'after ebb is loaded';
  if (!isAfter) fakes.install();
  const packages = await load();
  if (isGone) fakes.remove();
  const all: Promise<Played>[] = [];
  for (const situation of situationsOf(entry)) {
    if (situation.setsClock) await Promise.all(all);
    const play = new Play(situation, packages, isGone ? undefined : fakes);
    if (isAfter) fakes.install();
    const running = play.run();
    all.push(running);
    if (!isGone || situation.setsClock) await running;
    if (isAfter) fakes.remove();
  }
  const played = await Promise.all(all);
  if (!isGone) fakes.remove();
  return played;
}
