import type { CallPlan, Case } from './case.ts';
import type { Escapes } from './escapes.ts';
import { type Complaint, judge } from './oracle.ts';
import { play } from './play.ts';
import { pause } from './policy.ts';
import { Servers } from './server.ts';

/** How often a case is played again to see what it does: what depends on timing does not show each time. */
const TIMES = 6;

/** Plays cases one at a time, with no other case beside them. */
export class Examiner {
  readonly #servers: Servers;
  readonly #escapes: Escapes;

  private constructor(servers: Servers, escapes: Escapes) {
    this.#servers = servers;
    this.#escapes = escapes;
  }

  static async open(escapes: Escapes): Promise<Examiner> {
    return new Examiner(await Servers.open(), escapes);
  }

  close(): void {
    this.#servers.close();
  }

  /** All that is wrong with a case, and what escapes from it. */
  async look(of: Case, isBare = false): Promise<readonly Complaint[]> {
    this.#escapes.take();
    const played = await play(of, this.#servers, isBare);
    const complaints = judge(played);
    await pause(5);
    const escaped = this.#escapes.take().map(({ signature }) => ({ rule: 'escape', detail: signature }));
    return [...complaints, ...escaped];
  }

  /** The complaint of this rule, if one of several runs has it. */
  async find(of: Case, rule: string, isBare = false, times = TIMES): Promise<Complaint | undefined> {
    for (let left = times; left > 0; left -= 1) {
      const found = (await this.look(of, isBare)).find((one) => one.rule === rule);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** True if the client does the same without ebb, by any step of the scripts: it plays one step where ebb plays several. */
  async isBareToo(of: Case, rule: string): Promise<boolean> {
    const longest = Math.max(...of.calls.map(({ script }) => script.length));
    for (let from = 0; from <= longest; from += 1) {
      const calls = of.calls.map((plan): CallPlan => ({ ...plan, script: plan.script.slice(from) }));
      if ((await this.find({ ...of, calls }, rule, true, 3)) !== undefined) return true;
    }
    return false;
  }
}
