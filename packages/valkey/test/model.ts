import { gcra } from '@ebb/core/bucket';

// The bucket's script in TypeScript, over core's own arithmetic. script.test.ts compares the two call by call; other
// tests use this one as a store under a virtual clock.

/** The numbers that the key holds, in their order; see script.ts. */
type State = [
  empty: number,
  given: number,
  paused: number,
  at: number,
  epoch: number,
  base: number,
  resumed: number,
  count: number,
  before: number,
  turn: number,
];

/** A reply of the script. */
export type ScriptReply = [
  granted: number,
  waitUs: number,
  emptyInUs: number,
  pausedUs: number,
  nowUs: number,
  processes: number,
  resumeInUs: number,
  state: string,
];

const EMPTY = 0;
const GIVEN = 1;
const PAUSED = 2;
const AT = 3;
const EPOCH = 4;
const BASE = 5;
const RESUMED = 6;
const COUNT = 7;
const BEFORE = 8;
const TURN = 9;

function read(text: string | undefined, now: number): State | undefined {
  if (text === undefined || text === '') return undefined;
  const state = text.split(' ').map(Number) as State;
  const back = state[AT] - now;
  if (back > 1e6) {
    for (const moment of [EMPTY, PAUSED, AT, BASE, RESUMED] as const) state[moment] -= back;
    state[GIVEN] += back;
  }
  return state;
}

/** Runs one call. `text` is the value of the key; the last element of the reply is its new value. */
export function model(text: string | undefined, args: readonly string[], now: number): ScriptReply {
  const [mode = '', rateText, capacityText, knownText, untilText, calledText, ...rest] = args;
  const [capacity, until, called] = [Number(capacityText), Number(untilText), Number(calledText)];
  const [amount = 0, most = 0, , soon = 0, within = 0] = rest.map(Number);
  const held = rest[2];
  // gcra.ts takes times in any unit, with the rate per 1,000 of them: here microseconds, and millionths of a token.
  const rate = Number(rateText) * 1_000;
  const quota: gcra.Quota = { capacity, refillPerSecond: rate };
  const each = 1_000 / rate;

  let state = read(text, now);
  const known = read(knownText, now);
  let dirty = false;
  let met = false;
  if (state === undefined || (known !== undefined && state[AT] < known[AT])) {
    const lost = state;
    state = known ?? [now - capacity * each, 0, 0, now, now, 0, 0, 0, 0, 0];
    if (lost !== undefined) {
      state[EMPTY] = Math.max(state[EMPTY], lost[EMPTY]);
      state[PAUSED] = Math.max(state[PAUSED], lost[PAUSED]);
    }
    state[EMPTY] = Math.ceil(gcra.spend(quota, state[EMPTY], 0, now));
    if (now - state[EPOCH] > Math.max(capacity * each, 250_000)) {
      state[BEFORE] = Math.max(state[COUNT], state[BEFORE]);
      state[COUNT] = 1;
    }
    state[EPOCH] = now;
    state[BASE] = state[EMPTY];
    dirty = known !== undefined;
  } else if (known !== undefined && state[EPOCH] !== known[EPOCH]) {
    state[EMPTY] += Math.max(0, known[EMPTY] - state[BASE]);
    state[BASE] = Math.max(state[BASE], known[EMPTY]);
    state[PAUSED] = Math.max(state[PAUSED], known[PAUSED]);
    dirty = true;
    met = true;
  }

  const period = Math.max(60e6, Math.ceil(64e6 * each));
  const ago = Math.floor(now / period) - Math.floor(state[AT] / period);
  if (ago !== 0) {
    state[BEFORE] = ago === 1 ? state[COUNT] : 0;
    state[COUNT] = 0;
  }
  const late = until > 0 && now > until;
  const counts = ['lease', 'peek', 'resume'].includes(mode) && called >= 0 && !late;
  if (counts && (met || Math.floor(called / period) !== Math.floor(now / period))) {
    state[COUNT] += 1;
    dirty ||= text !== undefined;
  }
  const processes = Math.max(1, state[COUNT], state[BEFORE]);
  let [granted, wait, resume] = [0, 0, 0];

  if (mode === 'lease') {
    const waitUs = gcra.waitMs(quota, state[EMPTY], amount, now);
    const slack = capacity * each * 1e-9 + 1e-6 + Math.abs(now) * 4e-16;
    if (within >= 0 && waitUs > within + slack) wait = waitUs - within;
    if (wait === 0 && !late) {
      const there = gcra.tokensAt(quota, state[EMPTY], now);
      if (state[EMPTY] > now) {
        const turn = Math.max(amount, soon);
        state[TURN] = Math.ceil(state[TURN] === 0 ? turn : state[TURN] + (turn - state[TURN]) / 8);
      }
      granted = Math.max(amount, Math.min(most, Math.floor(there / 2)), soon);
      state[EMPTY] = Math.ceil(gcra.spend(quota, state[EMPTY], granted, now));
      dirty = true;
    }
  } else if (mode === 'spend') {
    state[EMPTY] = Math.ceil(gcra.spend(quota, state[EMPTY], amount, now));
    granted = amount;
    dirty = true;
  } else if (mode === 'refund') {
    const lease = read(held, now);
    if (lease !== undefined && lease[EPOCH] === state[EPOCH] && !late) {
      const heldAt = lease[EMPTY] + lease[GIVEN] - state[GIVEN];
      let after = gcra.giveBack(quota, state[EMPTY], amount, heldAt, now);
      if (now < state[PAUSED]) after = Math.max(after, Math.min(state[EMPTY], state[PAUSED]));
      after = Math.ceil(after);
      granted = Math.floor(((state[EMPTY] - after) * rate) / 1_000);
      state[GIVEN] += state[EMPTY] - after;
      state[EMPTY] = after;
      dirty ||= granted > 0;
    }
  } else if (mode === 'pause') {
    const since = Math.max(now, state[PAUSED]);
    if (now + amount > since) {
      state[EMPTY] = now + amount + Math.max(0, state[EMPTY] - since);
      state[PAUSED] = now + amount;
      dirty = true;
    }
  } else if (mode === 'unpause') {
    const early = state[PAUSED] - now;
    if (early > 0) {
      state[EMPTY] = Math.max(now, state[EMPTY] - early);
      state[PAUSED] = now;
      granted = 1;
      dirty = true;
    }
  } else if (mode === 'resume' && !late) {
    const since = now - amount;
    if (state[RESUMED] <= since && (dirty || text === undefined || state[AT] <= since + amount / 10)) {
      state[RESUMED] = now + most;
      state[EMPTY] = Math.max(state[EMPTY], state[RESUMED]);
    }
    resume = Math.max(state[RESUMED], since) - now;
    granted = 1;
    dirty = true;
  }

  const write = dirty && !late;
  if (write) state[AT] = Math.max(state[AT], now);
  const after = write ? state.join(' ') : (text ?? '');
  const pausedUs = Math.max(0, Math.ceil(state[PAUSED] - now));
  return [granted, Math.ceil(wait), Math.ceil(state[EMPTY] - now), pausedUs, now, processes, resume, after];
}
