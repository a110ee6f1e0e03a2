import { type Case, drawCase } from './case.ts';
import type { Escape, Escapes } from './escapes.ts';
import { type Complaint, judge } from './oracle.ts';
import { play, within } from './play.ts';
import { Servers } from './server.ts';

/** What was found in a run. */
export interface Found {
  readonly of: Case;
  readonly complaint: Complaint;
}

/** What escaped, and the cases that were under way, or had just ended. */
export interface Suspected {
  readonly what: Escape;
  readonly cases: readonly Case[];
}

export interface Range {
  readonly first: number;
  readonly count: number;
  readonly lanes: number;
}

/** For how long a case that has ended is still suspected, in milliseconds. */
const SUSPECTED_MS = 250;
/** The longest that something is left by design: a short body that no one reads is watched for a second. */
const QUIET_MS = 3_000;

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

/** Plays the cases of many seeds, several at a time. */
export class Lanes {
  readonly #escapes: Escapes;
  readonly #servers: Servers[] = [];
  readonly found: Found[] = [];
  readonly suspected: Suspected[] = [];
  /** Rounds after which timers were left. */
  readonly unquiet: Range[] = [];
  done = 0;

  constructor(escapes: Escapes) {
    this.#escapes = escapes;
  }

  close(): void {
    for (const servers of this.#servers) servers.close();
  }

  /** Plays one round. When it is over, nothing may be left. */
  async play({ first, count, lanes }: Range): Promise<void> {
    while (this.#servers.length < lanes) this.#servers.push(await Servers.open());
    const before = timers();
    // Stacks take a tenth of the time, and no one reads them: what is found is played again.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    const underWay = new Set<Case>();
    this.#escapes.onEscape = (what) => this.suspected.push({ what, cases: [...underWay] });
    let next = first;
    const lane = async (servers: Servers): Promise<void> => {
      while (next < first + count) {
        const of = drawCase(next);
        next += 1;
        underWay.add(of);
        for (const complaint of judge(await play(of, servers))) this.found.push({ of, complaint });
        this.done += 1;
        for (const { seed, path } of servers.strays.splice(0))
          this.found.push({
            of: drawCase(seed),
            complaint: { rule: 'stray', detail: `${path} after the end` },
          });
        setTimeout(() => underWay.delete(of), SUSPECTED_MS).unref();
      }
    };
    await Promise.all(this.#servers.slice(0, lanes).map(lane));
    const isQuiet = await within(QUIET_MS, () => timers() <= before);
    // What hangs has its timers.
    const hangs = this.found.some(({ complaint }) => /hang|slots|waiting/.test(complaint.rule));
    if (!isQuiet && !hangs) this.unquiet.push({ first, count, lanes });
    Error.stackTraceLimit = stackTraceLimit;
    this.#escapes.onEscape = () => undefined;
    this.#escapes.take();
  }
}
