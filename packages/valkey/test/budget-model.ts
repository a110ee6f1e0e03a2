import { leaseOf } from '@ebb/core/bucket';

// The budget's script in TypeScript. budget-script.test.ts compares the two call by call; other tests use this one as a
// store under a virtual clock.

const SLOTS = 10;
const RESTING_SLOTS = 60;

/** Runs one call. `text` is the value of the key. Returns its new value and the reply. */
export function budgetModel(
  text: string | undefined,
  args: readonly string[],
  time: number,
): { readonly reply: number[]; readonly text: string | undefined } {
  const [ratio = 0, reserve = 0, slotUs = 1, untilUs = 0, ...rest] = args.map(Number);
  const [called = 0, deposits = 0, returned = 0, wanted = 0] = rest;
  if (untilUs > 0 && time > untilUs) return { reply: [0, 0, 0, 1, time, 0], text };
  const state: number[] = text?.split(' ').map(Number) ?? [slotUs, time, time, ...new Array(13).fill(0)];
  let [slot = 0, epoch = 0, at = 0, tokens = 0, count = 0, before = 0, ...successes] = state;

  const now = time < at && at - time <= 1e6 ? at : time;
  if (now < at) {
    epoch -= at - now;
    at = now;
  }
  if (slot !== slotUs) {
    slot = slotUs;
    tokens = Math.min(tokens, reserve);
    successes = new Array(SLOTS).fill(0);
  }

  const grown = (atUs: number): number => reserve * Math.min(1, Math.max(0, (atUs - epoch) / (SLOTS * slot)));
  const passed = Math.min(SLOTS, Math.floor(now / slot) - Math.floor(at / slot));
  successes = [...new Array(passed).fill(0), ...successes].slice(0, SLOTS);
  const most = (): number => grown(now) + ratio * successes.reduce((sum, each) => sum + each, 0);
  const isRested = Math.floor(now / slot) - Math.floor(at / slot) >= RESTING_SLOTS;
  tokens = isRested ? reserve : Math.min(tokens + grown(now) - grown(at), most());

  successes[0] = (successes[0] ?? 0) + deposits;
  tokens = Math.floor(Math.min(most(), tokens + ratio * deposits + returned * 1e6));
  const balance = Math.floor(tokens / 1e6);
  const granted = leaseOf(wanted, balance);
  tokens -= granted * 1e6;

  const period = Math.max(3.6e9, slot * RESTING_SLOTS);
  const ago = Math.floor(now / period) - Math.floor(at / period);
  if (ago !== 0) [before, count] = [ago === 1 ? count : 0, 0];
  if (Math.floor(called / period) !== Math.floor(now / period)) count += 1;
  const processes = Math.max(1, count, before);
  const after = [slot, epoch, now, tokens, count, before, ...successes].join(' ');
  const free = most() > 0 ? Math.min(1, tokens / most()) : 1;
  return { reply: [granted, balance - granted, processes, 0, time, Math.floor(free * 1e6)], text: after };
}
