import type { gcra } from '@ebb/core/bucket';

// The bucket's script in TypeScript, over core's own arithmetic. script.test.ts compares the two call by call; other
// tests use this one as a store under a virtual clock. The state is JSON here, and packed in the store.

/** A reply of a script: whole numbers, and limits as text. */
export type ScriptReply = (number | string)[];

interface Unit extends gcra.Quota {
  readonly name: string;
  empty: number;
  given: number;
  base: number;
  turn: number;
}

interface Record {
  readonly name: string;
  readonly share: number;
  readonly ends: number;
}

interface Ghost {
  share: number;
  count: number;
  ends: number;
}

/** What the key holds; script.ts describes it. */
export interface ModelState {
  at: number;
  shift: number;
  frame: number;
  epoch: number;
  paused: number;
  resumed: number;
  version: number;
  count: number;
  total: number;
  ends: number;
  declared: string;
  units: Unit[];
  hasLedger: boolean;
  ghost: Ghost;
  records: Record[];
}

const NO_GHOST: Ghost = { share: 0, count: 0, ends: 0 };
const WHOLE = 1e6;

const numbersOf = (text: string): number[] => text.split(' ').filter(Boolean).map(Number);
// gcra.ts takes times in any unit, with the rate per 1,000 of them: here microseconds, and millionths of a token.
const quotaOf = (perSecond: number, capacity: number): gcra.Quota => ({
  capacity,
  refillPerSecond: perSecond * 1_000,
});
const perSecond = (unit: gcra.Quota): number => unit.refillPerSecond / 1_000;
const fillOf = (unit: gcra.Quota): number => unit.capacity / perSecond(unit);
/** As gcra.ts, but with a quotient where it has a product, as the script has: both round alike then. */
const spend = (unit: gcra.Quota, empty: number, cost: number, now: number): number =>
  Math.max(empty, now - fillOf(unit)) + cost / perSecond(unit);
const tokensAt = (unit: gcra.Quota, empty: number, now: number): number =>
  Math.min(unit.capacity, (now - empty) * perSecond(unit));

/** What a process knows: the head of the state, and the numbers of its units. */
interface Known {
  readonly shift: number;
  readonly paused: number;
  readonly resumed: number;
  readonly version: number;
  readonly count: number;
  readonly total: number;
  readonly ends: number;
  readonly frame: number;
  readonly units: readonly (gcra.Quota & { empty: number; given: number; turn: number })[];
}

function knownOf(text: string): Known {
  const [shift = 0, paused = 0, resumed = 0, version = 0, ...others] = numbersOf(text);
  const [count = 0, total = 0, ends = 0, frame = 0, ...rest] = others;
  const units = Array.from({ length: rest.length / 6 }, (_, unit) => {
    const [rate = 0, capacity = 0, empty = 0, given = 0, , turn = 0] = rest.slice(6 * unit);
    return { ...quotaOf(rate, capacity), empty, given, turn };
  });
  return { shift, paused, resumed, version, count, total, ends, frame, units };
}

/** The limits change: the tokens that are there, or the debt, stay. */
function limit(unit: Unit, to: gcra.Quota, now: number): Unit {
  const left = Math.min(to.capacity, tokensAt(unit, unit.empty, now));
  const empty = Math.ceil(now - left / perSecond(to));
  const moved = empty - unit.empty;
  return { ...unit, ...to, empty, given: unit.given - moved, base: unit.base + moved };
}

/** The same, with the rate per second. */
export const withLimit = (unit: Unit, rate: number, capacity: number, now: number): Unit =>
  limit(unit, quotaOf(rate, capacity), now);

/** Counts the caller. Returns its share. */
function count(state: ModelState, who: string, now: number): number {
  const [name = '', ...numbers] = who.split(' ');
  const [held = 0, holds = 0, expected = 0] = numbers.map(Number);
  const mine = state.records.find((record) => record.name === name);
  const others = state.records.filter((record) => record.name !== name && record.ends > now);
  const { ghost } = state;
  if (ghost.ends <= now) state.ghost = NO_GHOST;
  else if (mine === undefined && held > 0 && ghost.count > 0) {
    state.ghost = { ...ghost, share: Math.max(0, ghost.share - held), count: ghost.count - 1 };
  }
  const ghosts = state.ghost;
  let total = ghosts.share + others.reduce((sum, { share }) => sum + share, 0);
  state.count = ghosts.count + others.length;
  state.ends = Math.max(ghosts.ends, ...others.map(({ ends }) => ends));
  let share = 0;
  if (holds > 0) {
    state.count += 1;
    const fair = Math.floor(WHOLE / Math.max(state.count, expected));
    if (held > fair) share = Math.max(fair, Math.floor((held * 2) / 3));
    else if (mine !== undefined || held > 0) {
      const most = now - state.epoch >= 5e5 ? fair : Math.min(fair, mine?.share ?? 0);
      share = Math.max(held, Math.min(most, WHOLE - total));
    } else share = Math.max(0, Math.min(fair, Math.floor((1.08e6 - total) / 2)));
    const recorded = Math.max(held, share);
    total += recorded;
    state.ends = Math.max(state.ends, now + holds);
    others.push({ name, share: recorded, ends: now + holds });
  }
  state.total = total;
  state.hasLedger = true;
  state.records = others;
  return share;
}

/** Runs one call. `text` is the value of the key. Returns its new value and the reply; `real` is the server's time. */
export function model(
  text: string | undefined,
  args: readonly string[],
  real: number,
): { readonly reply: ScriptReply; readonly text: string | undefined } {
  const [mode = '', called = '', untilText, proposedText, versionText, epochText, atText, state = ''] = args;
  const [declaredText = '', who = '', ...rest] = args.slice(8);
  const [until, proposed, knownVersion] = [Number(untilText), Number(proposedText), Number(versionText)];
  const [knownEpoch, knownAt] = [Number(epochText), Number(atText)];
  const names = called.split(' ').slice(0, -1);
  const limits = numbersOf(declaredText);
  const declared = names.map((_, unit) =>
    quotaOf(limits[2 * unit] as number, limits[2 * unit + 1] as number),
  );

  const found = text === undefined ? undefined : (JSON.parse(text) as ModelState);
  const s: ModelState = found ?? {
    ...{ at: real, shift: 0, frame: real, epoch: real, paused: 0, resumed: 0 },
    ...{ version: 1, count: 0, total: 0, ends: 0 },
    ...{ declared: called + declaredText, units: [], hasLedger: false, ghost: NO_GHOST, records: [] },
  };
  const isKnown = knownEpoch === 0 || (s.epoch === knownEpoch && s.at >= knownAt);
  const k = isKnown ? undefined : knownOf(state);
  const isLost = k !== undefined && (found === undefined || (k.frame === s.frame && s.epoch <= knownEpoch));
  let dirty = k !== undefined;
  if (k !== undefined && isLost) {
    const resumed = Math.max(s.resumed, k.resumed);
    Object.assign(s, { at: knownAt, shift: k.shift, frame: k.frame, resumed });
  }
  let now = real + s.shift;
  if (proposed > 0 && now > Math.max(s.at, proposed)) {
    now = Math.max(s.at, proposed);
    s.shift = now - real;
    dirty = true;
  } else if (s.at - now > 1e6) {
    s.shift = s.at - real;
    now = s.at;
    dirty = true;
  } else now = Math.max(now, s.at);
  if (isLost) s.epoch = Math.max(now, knownEpoch + 1);
  const late = until > 0 && now > until;
  const [lasted = 0, handover = 0] = mode === 'resume' ? rest.map(Number) : [];
  const isFirst =
    mode === 'resume' &&
    !late &&
    s.resumed <= now - lasted &&
    (k !== undefined || found === undefined || s.at <= now - lasted * 0.9);
  /** A share that expired during the outage is in use: its process comes back soon. */
  const lengthen = (ends: number): number =>
    isFirst && ends > now - lasted ? Math.max(ends, now + handover + 2e6) : ends;
  s.ends = lengthen(s.ends);
  if (s.ends < now) Object.assign(s, { count: 0, total: 0 });

  const isNew = knownVersion === 0 && found !== undefined && k === undefined;
  const changes = isNew && s.declared !== called + declaredText;
  const mine = names.map((name, unit) => {
    const at = s.units.findIndex((other) => other.name === name);
    if (at >= 0) return at;
    const quota = declared[unit] as gcra.Quota;
    const full = Math.ceil(now - fillOf(quota));
    s.units.push({ ...quota, name, empty: full, given: 0, base: full, turn: 0 });
    if (found !== undefined) {
      s.version += 1;
      dirty = true;
    }
    return s.units.length - 1;
  });
  const change = (to: readonly gcra.Quota[]): void => {
    for (const [unit, at] of mine.entries()) {
      const { capacity, refillPerSecond } = to[unit] as gcra.Quota;
      s.units[at] = limit(s.units[at] as Unit, { capacity, refillPerSecond }, now);
    }
    dirty = true;
  };
  if (changes) {
    s.declared = called + declaredText;
    s.version += 1;
    change(declared);
  } else if (k !== undefined && (found === undefined || k.version > s.version)) {
    s.version = k.version;
    change(k.units);
  }

  if (k !== undefined) {
    const d = k.frame === s.frame ? 0 : s.shift - k.shift;
    s.paused = Math.max(s.paused, k.paused > 0 ? k.paused + d : 0);
    for (const [unit, at] of mine.entries()) {
      const one = s.units[at] as Unit;
      const known = k.units[unit] as Known['units'][number];
      const empty = known.empty + d;
      if (isLost) {
        one.empty = Math.ceil(spend(one, Math.max(empty, one.empty), 0, now));
        Object.assign(one, { given: known.given, base: one.empty, turn: known.turn });
      } else {
        one.empty += Math.max(0, empty - one.base);
        one.base = Math.max(one.base, empty);
      }
    }
    const ends = lengthen(k.ends + d);
    if (ends > now && (k.total > s.total || k.count > s.count)) {
      const more = Math.max(0, k.total - s.total);
      const others = Math.max(0, k.count - s.count);
      s.total += more;
      s.count += others;
      const { share, count, ends: before } = s.ghost;
      s.ghost = { share: share + more, count: count + others, ends: Math.max(before, ends) };
      s.hasLedger = true;
      s.ends = Math.max(s.ends, ends);
    }
  }

  let share = -1;
  if (who !== '' && !(late && k !== undefined)) {
    s.ghost = { ...s.ghost, ends: lengthen(s.ghost.ends) };
    s.records = s.records.map((record) => ({ ...record, ends: lengthen(record.ends) }));
    share = count(s, who, now);
  }
  const fastest = s.units.reduce((least, unit) => (fillOf(unit) < fillOf(least) ? unit : least));
  const units = mine.map((at) => s.units[at] as Unit);
  const granted = units.map(() => 0);
  let [wait, done] = [0, 0];

  const refund = (numbers: readonly number[]): void => {
    const [leases = 0, ...each] = numbers;
    const width = 1 + 2 * units.length;
    for (let lease = 0; lease < leases; lease += 1) {
      const [epoch, ...amounts] = each.slice(lease * width, (lease + 1) * width);
      if (epoch !== s.epoch) continue;
      for (const [unit, one] of units.entries()) {
        const [left, mark] = [amounts[2 * unit] as number, amounts[2 * unit + 1] as number];
        const most = mark - one.given - now + fillOf(one);
        let after = one.empty - Math.max(0, Math.min(left / perSecond(one), most));
        if (now < s.paused && one === fastest) after = Math.max(after, Math.min(one.empty, s.paused));
        after = Math.ceil(after);
        dirty ||= after !== one.empty;
        one.given += one.empty - after;
        one.empty = after;
      }
    }
  };
  const charge = ([longest, ...amounts]: readonly number[]): void => {
    if (longest === undefined) return;
    for (const [unit, one] of units.entries()) {
      const from = Math.max(one.empty, now - fillOf(one));
      const after = spend(one, one.empty, amounts[unit] as number, now);
      one.empty = Math.ceil(Math.min(after, Math.max(from, now + longest)));
    }
    dirty = true;
  };

  const numbers = rest.map(Number);
  if (late) {
    // Nothing is done.
  } else if (mode === 'lease') {
    const width = 3 * units.length;
    const [within = 0, ...others] = numbers;
    const [leases = 0] = others.slice(width);
    const end = width + 1 + leases * (1 + 2 * units.length);
    refund(others.slice(width, end));
    charge(others.slice(end));
    const asked = units.map((_, unit) => others.slice(3 * unit, 3 * unit + 3) as [number, number, number]);
    for (const [unit, one] of units.entries()) {
      const [needed] = asked[unit] as [number, number, number];
      const slack = fillOf(one) * 1e-9 + 1e-6 + now * 4e-16;
      const over = spend(one, one.empty, needed, now) - now - within;
      if (needed > 0 && within >= 0 && over > slack) wait = Math.max(wait, Math.ceil(over));
    }
    if (wait === 0) {
      for (const [unit, one] of units.entries()) {
        const [needed, most, soon] = asked[unit] as [number, number, number];
        const there = tokensAt(one, one.empty, now);
        if (one.empty > now) {
          const turn = Math.max(needed, soon);
          one.turn = Math.ceil(one.turn === 0 ? turn : one.turn + (turn - one.turn) / 8);
        }
        const given = Math.max(needed, Math.min(most, Math.floor(there / 2)), soon);
        granted[unit] = given;
        one.empty = Math.ceil(spend(one, one.empty, given, now));
      }
      done = 1;
      dirty = true;
    }
  } else if (mode === 'spend') {
    charge(numbers);
  } else if (mode === 'refund') {
    refund(numbers);
  } else if (mode === 'pause') {
    const [to, since] = [now + (numbers[0] as number), Math.max(now, s.paused)];
    if (to > since) {
      fastest.empty = to + Math.max(0, fastest.empty - since);
      s.paused = to;
      dirty = true;
    }
  } else if (mode === 'unpause' && now < s.paused) {
    fastest.empty = Math.max(now, fastest.empty - s.paused + now);
    s.paused = now;
    dirty = true;
  } else if (mode === 'resume') {
    if (isFirst) {
      s.resumed = now + handover;
      for (const unit of s.units) unit.empty = Math.max(unit.empty, s.resumed);
    }
    dirty = true;
  }

  const writes = (dirty && !late) || share >= 0;
  if (dirty && !late) s.at = now;
  const reply: ScriptReply = [
    ...[late ? 2 : done, now, s.shift, writes || found !== undefined ? s.epoch : 0, s.version, s.paused],
    ...[s.resumed, s.count, s.total, s.ends, share, wait, s.at, s.frame],
    ...units.flatMap(({ empty, given, base, turn }, unit) => [
      granted[unit] as number,
      ...[empty, given, base, turn],
    ]),
  ];
  if (knownVersion !== s.version || k !== undefined) {
    for (const unit of units) reply.push(String(perSecond(unit)), String(unit.capacity));
  }
  return { reply, text: writes ? JSON.stringify(s) : text };
}
