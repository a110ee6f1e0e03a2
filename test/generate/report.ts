import { type Case, lineOf } from './case.ts';
import type { Examiner } from './examine.ts';
import type { Found, Lanes } from './lanes.ts';
import { shrink } from './shrink.ts';

/** What no machine is too busy for: once is enough. */
const SURE: ReadonlySet<string> = new Set(['bytes', 'clone', 'repeated', 'upload', 'credential', 'too many']);

/** How many findings of a rule are looked into. */
const MOST = 3;

/** Looks into what a run has found, and says what came of it. */
export class Report {
  readonly #examiner: Examiner;
  readonly #counts = new Map<string, number>();
  readonly #confirmed = new Map<string, number>();
  readonly #signatures = new Map<string, number>();

  constructor(examiner: Examiner) {
    this.#examiner = examiner;
  }

  #note(rule: string): number {
    const count = (this.#counts.get(rule) ?? 0) + 1;
    this.#counts.set(rule, count);
    return count;
  }

  /** Looks into what was found since the last time. */
  async examine(lanes: Lanes): Promise<void> {
    for (const found of lanes.found.splice(0)) {
      if (this.#note(found.complaint.rule) <= MOST) await this.#explain(found);
    }
    for (const { what, cases } of lanes.suspected.splice(0)) {
      const count = (this.#signatures.get(what.signature) ?? 0) + 1;
      this.#signatures.set(what.signature, count);
      this.#note('escape');
      if (count <= 1) await this.#accuse(what, cases);
    }
    for (const range of lanes.unquiet.splice(0)) {
      this.#confirmed.set('timers of the process', this.#note('timers of the process'));
      console.log(`timers are left after the cases ${range.first} to ${range.first + range.count - 1}`);
    }
  }

  /** True if the client does the same without ebb. What escapes from it leaves its calls without an end, and their slots taken. */
  async #isBareToo(of: Case, rule: string, inCompany = false): Promise<boolean> {
    const isLeft = !SURE.has(rule) && (await this.#examiner.find(of, 'escape', false, 2)) !== undefined;
    return this.#examiner.isBareToo(of, isLeft ? 'escape' : rule, inCompany);
  }

  /** Plays a case alone until it shows the same, and makes it as small as that allows. */
  async #explain({ of, complaint: { rule, detail } }: Found): Promise<void> {
    const isAlone = (await this.#examiner.find(of, rule)) !== undefined;
    if (!isAlone && !SURE.has(rule) && (await this.#examiner.findInCompany(of, rule)) === undefined) {
      console.log(`${rule}: ${detail}\n  seen once, and not again: ${lineOf(of)}`);
      return;
    }
    if (await this.#isBareToo(of, rule, !isAlone)) {
      console.log(`${rule}: ${detail}\n  the bare client does the same: ${lineOf(of)}`);
      return;
    }
    this.#confirmed.set(rule, (this.#confirmed.get(rule) ?? 0) + 1);
    if (!isAlone) {
      console.log(`${rule}: ${detail}\n  among others: ${lineOf(of)}`);
      return;
    }
    const shrunk = await shrink(of, rule, this.#examiner);
    // On the way it may have become a case of another fault, which is none of ebb.
    const smallest = (await this.#isBareToo(shrunk, rule)) ? of : shrunk;
    const found = await this.#examiner.find(smallest, rule);
    console.log(`${rule}: ${found?.detail ?? detail}\n  ${lineOf(smallest)}`);
  }

  /** Finds the case among those under way from which something has escaped. */
  async #accuse(what: { signature: string; error: unknown }, cases: readonly Case[]): Promise<void> {
    for (const of of cases) {
      const found = (await this.#examiner.look(of)).find(({ detail }) => detail.startsWith(what.signature));
      if (found === undefined) continue;
      await this.#explain({ of, complaint: found });
      return;
    }
    const seeds = cases.map(({ seed }) => seed).join(' ');
    console.log(`escape: ${what.signature}\n  by one of the seeds ${seeds}\n`, what.error);
  }

  /** Prints how often each rule was broken; returns true if none was. */
  end(): boolean {
    for (const [rule, count] of this.#counts)
      console.log(`${String(count).padStart(6)} ${rule}, ${this.#confirmed.get(rule) ?? 0} confirmed`);
    return this.#confirmed.size === 0;
  }
}
