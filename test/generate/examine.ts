import type { AbortAt, CallPlan, Case } from './case.ts';
import { type Escapes, placeOf } from './escapes.ts';
import { type Complaint, judge } from './oracle.ts';
import { type Played, play } from './play.ts';
import { pause } from './policy.ts';
import { Servers } from './server.ts';

/** How often a case is played again to see what it does: what depends on timing does not show each time. */
const TIMES = 6;
/** How many copies of a case are played at a time, if it does not show alone what it showed among others. */
const COMPANY = 24;

/**
 * What callers without ebb do that is like what ebb does: it gives up bodies before a retry, and attempts that take too long. There are
 * no events that a caller could abort with.
 */
function* likeEbb(calls: readonly CallPlan[], timeoutMs: number | undefined): Iterable<readonly CallPlan[]> {
  const isEventful = ({ abortAt }: CallPlan): boolean => abortAt === 'attempt' || abortAt === 'retry';
  const moments: readonly AbortAt[] = calls.some(isEventful) ? [0, 'before', 'response'] : [0];
  for (const abortAt of moments) yield calls.map((plan) => (isEventful(plan) ? { ...plan, abortAt } : plan));
  yield calls.map((plan) => ({ ...plan, caller: 'cancel' }));
  // A look pauses a long body, as a caller does that does not read it, or not at once.
  yield calls.map((plan) => ({ ...plan, caller: 'nothing' }));
  yield calls.map((plan) => ({ ...plan, caller: 'late' }));
  if (timeoutMs === undefined) return;
  yield calls.map((plan) => ({ ...plan, caller: 'abort', isSignalled: true, abortAt: timeoutMs }));
}

/** Plays cases one at a time, with no other case beside them. */
export class Examiner {
  readonly #servers: Servers;
  readonly #escapes: Escapes;
  readonly #company: Servers[] = [];

  private constructor(servers: Servers, escapes: Escapes) {
    this.#servers = servers;
    this.#escapes = escapes;
  }

  static async open(escapes: Escapes): Promise<Examiner> {
    return new Examiner(await Servers.open(), escapes);
  }

  close(): void {
    for (const servers of [this.#servers, ...this.#company]) servers.close();
  }

  /** All that is wrong with a case, and what escapes from it. */
  async look(of: Case, isBare = false): Promise<readonly Complaint[]> {
    return (await this.play(of, isBare)).complaints;
  }

  async play(of: Case, isBare = false): Promise<{ played: Played; complaints: readonly Complaint[] }> {
    this.#escapes.take();
    const played = await play(of, this.#servers, isBare);
    const complaints = judge(played, isBare);
    await pause(5);
    const escaped = this.#escapes
      .take()
      .map(({ signature, error }) => ({ rule: 'escape', detail: signature + placeOf(error) }));
    // What was sent after the end of the case comes to the next one.
    const strays = this.#servers.strays.splice(0).map(({ path }) => ({ rule: 'stray', detail: path }));
    return { played, complaints: [...complaints, ...escaped, ...strays] };
  }

  /** As {@link find}, amid copies of the same case: what depends on timing may show only among others. */
  async findInCompany(of: Case, rule: string, isBare = false): Promise<Complaint | undefined> {
    while (this.#company.length < COMPANY) this.#company.push(await Servers.open());
    this.#escapes.take();
    const all = await Promise.all(
      this.#company.map(async (servers) => judge(await play(of, servers, isBare), isBare)),
    );
    const escaped = this.#escapes
      .take()
      .map(({ signature, error }) => ({ rule: 'escape', detail: signature + placeOf(error) }));
    return [...all.flat(), ...escaped].find((one) => one.rule === rule);
  }

  /** The complaint of this rule, if one of several runs has it. */
  async find(of: Case, rule: string, isBare = false, times = TIMES): Promise<Complaint | undefined> {
    // Each look at what hangs takes its time.
    for (let left = rule === 'hang' ? 1 : times; left > 0; left -= 1) {
      const found = (await this.look(of, isBare)).find((one) => one.rule === rule);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** True if the client does the same without ebb, by any step of the scripts: it plays one step where ebb plays several. */
  async isBareToo(of: Case, rule: string, inCompany = false): Promise<boolean> {
    const { attemptTimeoutMs, totalTimeoutMs } = of.parts;
    const longest = Math.max(...of.calls.map(({ script }) => script.length));
    for (let from = 0; from <= longest; from += 1) {
      const later = of.calls.map((plan): CallPlan => ({ ...plan, script: plan.script.slice(from) }));
      for (const calls of likeEbb(later, attemptTimeoutMs ?? totalTimeoutMs)) {
        // Without a retry a client would see nothing but the refusal of its connection.
        const { isRefused: _, ...reached } = of;
        const bare = { ...reached, calls };
        if ((await this.find(bare, rule, true, 2)) !== undefined) return true;
        if (inCompany && (await this.findInCompany(bare, rule, true)) !== undefined) return true;
      }
    }
    return false;
  }
}
