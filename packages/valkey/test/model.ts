import { gcra } from '@ebb/core/bucket';

// The bucket's script in TypeScript, over core's own arithmetic. script.test.ts compares the two call by call; other
// tests use this one as a store under a virtual clock.

/** A reply of a script: with lists of numbers if the bucket may have several units. */
export type ScriptReply<N extends number | string = string> = [
  granted: N,
  waitUs: number,
  emptyInUs: N,
  pausedUs: number,
  nowUs: number,
  processes: number,
  resumeInUs: number,
  state: string,
];

// The numbers that the key holds, in their order; see script.ts.
const PAUSED = 2;
const AT = 3;
const EPOCH = 4;
const RESUMED = 6;
const COUNT = 7;
const BEFORE = 8;

/** A unit: its quota, and where it stands in the state. */
interface Unit extends gcra.Quota {
  readonly each: number;
  readonly fill: number;
  readonly empty: number;
  readonly given: number;
  readonly base: number;
  readonly turn: number;
}

function unitsOf(rates: readonly number[], capacities: readonly number[]): Unit[] {
  return rates.map((perSecond, index) => {
    // gcra.ts takes times in any unit, with the rate per 1,000 of them: here microseconds, and millionths of a token.
    const rate = perSecond * 1_000;
    const capacity = capacities[index] as number;
    const quota = { capacity, refillPerSecond: rate, each: 1_000 / rate, fill: capacity * (1_000 / rate) };
    const at = 6 + 4 * index;
    return index === 0
      ? { ...quota, empty: 0, given: 1, base: 5, turn: 9 }
      : { ...quota, empty: at, given: at + 1, base: at + 2, turn: at + 3 };
  });
}

/** A state of which every number is there. */
type State = { [place: number]: number };

function read(text: string | undefined, units: readonly Unit[], now: number): State | undefined {
  if (text === undefined || text === '') return undefined;
  const state: State = text.split(' ').map(Number);
  const back = (state[AT] as number) - now;
  const add = (place: number, amount: number): void => {
    state[place] = (state[place] as number) + amount;
  };
  if (back > 1e6) {
    for (const moment of [PAUSED, AT, RESUMED]) add(moment, -back);
    for (const unit of units) {
      for (const moment of [unit.empty, unit.base]) add(moment, -back);
      add(unit.given, back);
    }
  }
  return state;
}

/** Runs one call. `text` is the value of the key; the last element of the reply is its new value. */
export function model(text: string | undefined, args: readonly string[], now: number): ScriptReply {
  const [mode = '', rates = '', capacities = '', knownText, untilText, calledText, ...rest] = args;
  const list = (numbers = ''): number[] => numbers.split(' ').map(Number);
  const [until, called, within] = [Number(untilText), Number(calledText), Number(rest[4])];
  const [amounts, mosts, soons] = [list(rest[0]), list(rest[1]), list(rest[3])];
  const [amount = 0, most = 0] = [amounts[0], mosts[0]];
  const units = unitsOf(list(rates), list(capacities));
  const fastest = units.reduce((least, unit) => (unit.fill < least.fill ? unit : least));
  const slowestEach = Math.max(...units.map(({ each }) => each));
  const get = (state: State, place: number): number => state[place] as number;

  const found = read(text, units, now);
  const known = read(knownText, units, now);
  let state: State;
  let dirty = false;
  let met = false;
  if (found === undefined || (known !== undefined && get(found, AT) < get(known, AT))) {
    state = known ?? [0, 0, 0, now, now, 0, 0, 0, 0, 0];
    if (found !== undefined) state[PAUSED] = Math.max(get(state, PAUSED), get(found, PAUSED));
    if (now - get(state, EPOCH) > Math.max(fastest.fill, 250_000)) {
      state[BEFORE] = Math.max(get(state, COUNT), get(state, BEFORE));
      state[COUNT] = 1;
    }
    state[EPOCH] = now;
    for (const unit of units) {
      if (known === undefined) {
        state[unit.empty] = now - unit.fill;
        state[unit.given] = 0;
        state[unit.turn] = 0;
      }
      const lost = found === undefined ? Number.NEGATIVE_INFINITY : get(found, unit.empty);
      const empty = Math.ceil(gcra.spend(unit, Math.max(get(state, unit.empty), lost), 0, now));
      state[unit.empty] = empty;
      state[unit.base] = empty;
    }
    dirty = known !== undefined;
  } else {
    state = found;
    if (known !== undefined && get(state, EPOCH) !== get(known, EPOCH)) {
      state[PAUSED] = Math.max(get(state, PAUSED), get(known, PAUSED));
      for (const unit of units) {
        const [empty, base] = [get(known, unit.empty), get(state, unit.base)];
        state[unit.empty] = get(state, unit.empty) + Math.max(0, empty - base);
        state[unit.base] = Math.max(base, empty);
      }
      dirty = true;
      met = true;
    }
  }

  const period = Math.max(60e6, Math.ceil(64e6 * slowestEach));
  const ago = Math.floor(now / period) - Math.floor(get(state, AT) / period);
  if (ago !== 0) {
    state[BEFORE] = ago === 1 ? get(state, COUNT) : 0;
    state[COUNT] = 0;
  }
  const late = until > 0 && now > until;
  const counts = ['lease', 'peek', 'resume'].includes(mode) && called >= 0 && !late;
  if (counts && (met || Math.floor(called / period) !== Math.floor(now / period))) {
    state[COUNT] = get(state, COUNT) + 1;
    dirty ||= text !== undefined;
  }
  const processes = Math.max(1, get(state, COUNT), get(state, BEFORE));
  const granted = units.map(() => 0);
  let [wait, resume] = [0, 0];

  const refund = (unspent = '', states = ''): void => {
    const lists = unspent.split(',').map(list);
    for (const [lease, left] of states.split(',').entries()) {
      const held = read(left, units, now);
      if (held === undefined || get(held, EPOCH) !== get(state, EPOCH)) continue;
      units.forEach((unit, at) => {
        const [empty, given] = [get(state, unit.empty), get(state, unit.given)];
        const heldAt = get(held, unit.empty) + get(held, unit.given) - given;
        let after = gcra.giveBack(unit, empty, lists[lease]?.[at] as number, heldAt, now);
        const paused = get(state, PAUSED);
        if (now < paused && unit === fastest) after = Math.max(after, Math.min(empty, paused));
        after = Math.ceil(after);
        const back = Math.floor(((empty - after) * unit.refillPerSecond) / 1_000);
        granted[at] = (granted[at] as number) + back;
        state[unit.given] = given + empty - after;
        state[unit.empty] = after;
        dirty ||= back > 0;
      });
    }
  };
  const spend = (spent: readonly number[], longest?: string): void => {
    const latest = longest ? now + Number(longest) : Number.POSITIVE_INFINITY;
    for (const [at, unit] of units.entries()) {
      const more = spent[at] as number;
      const from = Math.max(get(state, unit.empty), now - unit.fill);
      const after = gcra.spend(unit, get(state, unit.empty), more, now);
      state[unit.empty] = Math.ceil(Math.min(after, Math.max(from, latest)));
      granted[at] = more;
    }
    dirty = true;
  };

  if (mode === 'lease') {
    if (!late) {
      refund(rest[5], rest[2]);
      if (rest[6]) spend(list(rest[6]), rest[7]);
      granted.fill(0);
    }
    units.forEach((unit, at) => {
      const needed = amounts[at] as number;
      const waitUs = needed > 0 ? gcra.waitMs(unit, get(state, unit.empty), needed, now) : 0;
      const slack = unit.fill * 1e-9 + 1e-6 + Math.abs(now) * 4e-16;
      if (within >= 0 && waitUs > within + slack) wait = Math.max(wait, waitUs - within);
    });
    if (wait === 0 && !late) {
      units.forEach((unit, at) => {
        const [needed, soon] = [amounts[at] as number, soons[at] as number];
        const [empty, average] = [get(state, unit.empty), get(state, unit.turn)];
        const there = gcra.tokensAt(unit, empty, now);
        if (empty > now) {
          const turn = Math.max(needed, soon);
          state[unit.turn] = Math.ceil(average === 0 ? turn : average + (turn - average) / 8);
        }
        const given = Math.max(needed, Math.min(mosts[at] as number, Math.floor(there / 2)), soon);
        granted[at] = given;
        state[unit.empty] = Math.ceil(gcra.spend(unit, empty, given, now));
      });
      dirty = true;
    }
  } else if (mode === 'spend') {
    spend(amounts, rest[5]);
  } else if (mode === 'refund' && !late) {
    refund(rest[0], rest[2]);
  } else if (mode === 'pause') {
    const since = Math.max(now, get(state, PAUSED));
    if (now + amount > since) {
      state[fastest.empty] = now + amount + Math.max(0, get(state, fastest.empty) - since);
      state[PAUSED] = now + amount;
      dirty = true;
    }
  } else if (mode === 'unpause') {
    const early = get(state, PAUSED) - now;
    if (early > 0) {
      state[fastest.empty] = Math.max(now, get(state, fastest.empty) - early);
      state[PAUSED] = now;
      granted[0] = 1;
      dirty = true;
    }
  } else if (mode === 'resume' && !late) {
    const since = now - amount;
    if (
      get(state, RESUMED) <= since &&
      (dirty || text === undefined || get(state, AT) <= since + amount / 10)
    ) {
      state[RESUMED] = now + most;
      for (const { empty } of units) state[empty] = Math.max(get(state, empty), now + most);
    }
    resume = Math.max(get(state, RESUMED), since) - now;
    granted[0] = 1;
    dirty = true;
  }

  const write = dirty && !late;
  if (write) state[AT] = Math.max(get(state, AT), now);
  const empties = units.map(({ empty }) => Math.ceil(get(state, empty) - now));
  const after = write ? Object.values(state).join(' ') : (text ?? '');
  const pausedUs = Math.max(0, Math.ceil(get(state, PAUSED) - now));
  return [granted.join(' '), Math.ceil(wait), empties.join(' '), pausedUs, now, processes, resume, after];
}
