import type { Quota } from '@ebb/core/bucket';
import type { Reply } from '../src/lease.ts';
import { SCRIPT } from '../src/script.ts';
import {
  argumentsOf,
  type LeaseMark,
  limitsText,
  markOf,
  parseReply,
  type StoreCall,
  unitNames,
  whoOf,
} from '../src/store-call.ts';
import { KnownBucket } from './known-bucket.ts';
import { type ModelState, model, type ScriptReply } from './model.ts';
import { packed, unpacked } from './packed-state.ts';
import type { TestStore } from './store.ts';

/** One limit, or that of each unit by its name. */
export type Limits = Quota | Readonly<Record<string, Quota>>;

const namesOf = (limits: Limits): readonly string[] | undefined =>
  'capacity' in limits ? undefined : Object.keys(limits);

/** A process, as far as the script sees it. */
export class Caller {
  readonly limits: readonly Quota[];
  readonly known: KnownBucket;
  readonly #names: string;

  constructor(limits: Limits) {
    this.limits = 'capacity' in limits ? [limits as Quota] : Object.values(limits);
    this.known = new KnownBucket(this.limits);
    this.#names = unitNames(namesOf(limits));
  }

  /** @param longestMs how long a debt may take to pay */
  args(call: StoreCall, untilUs = 0, proposedUs = 0, longestMs = 100): string[] {
    const times = [untilUs, proposedUs].map((us) => Math.max(0, us).toFixed(0));
    const own = [limitsText(this.limits), whoOf(call.who), ...argumentsOf(call, longestMs)];
    return [call.mode, this.#names, ...times, ...this.known.args, ...own];
  }

  learn(call: StoreCall, reply: ScriptReply, nowMs = 0): Reply {
    return this.known.observe(parseReply(call, reply, this.limits.length), nowMs, nowMs);
  }
}

/** A place where the script runs, over one key, at a time of the server's clock that is given. */
export interface ScriptHost {
  run(args: readonly string[], realUs: number): Promise<ScriptReply>;
  read(): Promise<ModelState | undefined>;
  write(state: ModelState | undefined): Promise<void>;
}

export class ModelHost implements ScriptHost {
  #text: string | undefined;

  async run(args: readonly string[], realUs: number): Promise<ScriptReply> {
    const { text, reply } = model(this.#text, args, realUs);
    this.#text = text;
    return reply;
  }

  async read(): Promise<ModelState | undefined> {
    return this.#text === undefined ? undefined : (JSON.parse(this.#text) as ModelState);
  }

  async write(state: ModelState | undefined): Promise<void> {
    this.#text = state && JSON.stringify(state);
  }
}

/** A script, but with the time in place of a second key, and a value that is kept for an hour: the server's own clock goes on. */
export const timed = (script: string): string =>
  script
    .replace("redis.call('TIME')", "{ string.match(KEYS[2], '^(%d+) (%d+)') }")
    .replace("'PX', px)", "'PX', 3600000)");

const TIMED_SCRIPT = timed(SCRIPT);

/** The scripts' own zero of time: 2025 begins. In seconds. */
const ZERO = 1_735_689_600;

/** The second key, for microseconds since then. */
export const timeKey = (realUs: number): string => `${ZERO + Math.floor(realUs / 1e6)} ${realUs % 1e6}`;

export class ServerHost implements ScriptHost {
  readonly #store: TestStore;
  readonly #key: string;

  constructor(store: TestStore) {
    this.#store = store;
    this.#key = store.newKey();
  }

  async run(args: readonly string[], realUs: number): Promise<ScriptReply> {
    const keys = [this.#key, timeKey(realUs)] as const;
    return (await this.#store.client.eval(TIMED_SCRIPT, 2, ...keys, ...args)) as ScriptReply;
  }

  async read(): Promise<ModelState | undefined> {
    const value = await this.#store.client.getBuffer(this.#key);
    return value === null ? undefined : unpacked(value);
  }

  async write(state: ModelState | undefined): Promise<void> {
    if (state === undefined) await this.#store.client.del(this.#key);
    else await this.#store.client.set(this.#key, packed(state));
  }
}

/** A reply as a row tells it: amounts are tokens, times milliseconds, and shares parts of the quota. */
export interface Told {
  readonly granted: readonly number[];
  /** Below 0: a debt, or tokens that are leased in advance. */
  readonly tokens: readonly number[];
  readonly averageLease: readonly number[];
  readonly rates: readonly number[];
  readonly waitMs: number;
  readonly pausedMs: number;
  /** How long the bucket stays closed after an outage. */
  readonly closedMs: number;
  /** `undefined` if the call did not count its process. */
  readonly share: number | undefined;
  readonly processes: number;
  /** The sum of all shares. */
  readonly shares: number;
  readonly version: number;
  readonly isLate: boolean;
  readonly isLost: boolean;
  /** Whether the store holds a bucket. */
  readonly isThere: boolean;
  /** How far the bucket's time is ahead of the server's clock. */
  readonly shiftMs: number;
}

const rounded = (number: number): number => Number(number.toFixed(3)) + 0;

function toldOf(reply: Reply, before: readonly Quota[]): Told {
  const limits = reply.limits ?? before;
  const tokens = reply.emptyInMs.map((ms, unit) => {
    const { capacity, refillPerSecond } = limits[unit] as Quota;
    return rounded(Math.min(capacity, (-ms * refillPerSecond) / 1_000));
  });
  return {
    granted: reply.granted.map((amount) => rounded(amount / 1e6)),
    tokens,
    averageLease: reply.averageLease.map((amount) => rounded(amount / 1e6)),
    rates: limits.map(({ refillPerSecond }) => refillPerSecond),
    waitMs: rounded(reply.waitMs),
    pausedMs: rounded(reply.pausedMs),
    closedMs: rounded(Math.max(0, reply.resumedUs - reply.atUs) / 1_000),
    share: reply.share === undefined ? undefined : rounded(reply.share / 1e6),
    processes: reply.processes,
    shares: rounded(reply.total / 1e6),
    version: reply.version,
    isLate: reply.tooLate,
    isLost: reply.lostBucket,
    isThere: reply.epoch > 0,
    shiftMs: rounded(reply.shiftUs / 1_000),
  };
}

/** A call of a process, made at a time, with parts of its reply. */
interface CallStep {
  readonly atMs: number;
  readonly by: string;
  readonly call: StoreCall;
  /** Tokens of earlier leases that the call gives back. */
  readonly back?: readonly (readonly [call: number, tokens: number])[];
  /** The call does nothing after this time; for a process whose clock is behind, the time that it proposes. */
  readonly untilMs?: number;
  readonly proposedMs?: number;
  readonly told?: Partial<Told>;
}

/** Something that befalls the key: it is lost, a copy of it is kept, or the copy takes its place. */
type KeyStep = 'lose' | 'copy' | 'put the copy';

export type Step = CallStep | KeyStep;

/** Makes the calls, at times of the server's clock. Returns what was told of each, as far as the step says. */
export async function play(
  host: ScriptHost,
  limitsOf: (caller: string) => Limits,
  steps: readonly Step[],
): Promise<{ readonly told: object[]; readonly state: ModelState | undefined }> {
  const callers = new Map<string, Caller>();
  const marks = new Map<string, LeaseMark[]>();
  const limits = new Map<string, readonly Quota[]>();
  const told: object[] = [];
  let copy: ModelState | undefined;
  const us = (ms: number): number => 6e13 + ms * 1_000;
  for (const step of steps) {
    if (step === 'lose') await host.write(undefined);
    else if (step === 'copy') copy = await host.read();
    else if (step === 'put the copy') await host.write(copy);
    else {
      const { atMs, by, untilMs, proposedMs, back, told: wanted = {} } = step;
      const caller = callers.get(by) ?? new Caller(limitsOf(by));
      callers.set(by, caller);
      const own = marks.get(by) ?? [];
      marks.set(by, own);
      const leases = back?.map(([lease, tokens]) => ({
        amounts: [tokens * 1e6],
        mark: own[lease] as LeaseMark,
      }));
      const call = leases === undefined ? step.call : ({ ...step.call, leases } as StoreCall);
      const args = caller.args(
        call,
        untilMs === undefined ? 0 : us(untilMs),
        proposedMs === undefined ? 0 : us(proposedMs),
        60_000,
      );
      const reply = caller.learn(call, await host.run(args, us(atMs)), atMs);
      own.push(markOf(reply));
      limits.set(by, reply.limits ?? limits.get(by) ?? caller.limits);
      const all = toldOf(reply, limits.get(by) as readonly Quota[]);
      told.push(Object.fromEntries(Object.keys(wanted).map((name) => [name, all[name as keyof Told]])));
    }
  }
  return { told, state: await host.read() };
}
