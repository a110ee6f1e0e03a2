import { LIMIT, type World } from './world.ts';

/** The most that the store has granted beyond `rate · time` in any window, in capacities, by the troubles until then. */
export type Most = ReadonlyMap<string, number>;

const named = (count: number, one: string, more: string): string[] =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : more}`];

function nameOf({ troubles: { drops, ends, losses, steps } }: World): string {
  const parts = [
    ...named(losses, 'loss', 'losses'),
    ...named(drops, 'lost call', 'lost calls'),
    ...named(steps, 'step', 'steps'),
    ...named(ends, 'end', 'ends'),
  ];
  return parts.length === 0 ? 'no trouble' : parts.join(', ');
}

export function mostOf(most: Map<string, number>, world: World): void {
  const name = nameOf(world);
  most.set(name, Math.max(most.get(name) ?? 0, world.leased.most / LIMIT.capacity));
}

/** Each run of the script takes a microsecond of the store's time, and none of the world's. In tokens. */
const ROUNDING = 1e-3;

/** The parts of all shares together. */
const SHARES = 1.08;

/**
 * The most that the store may grant beyond `rate · time`, in tokens. The bucket holds a capacity, and leased tokens that idle are another
 * one at most, however many processes there are. Late replies may cost one more, and so may each loss of the store, each step of its clock
 * and each end: a process restores what it saw last, does not notice that the clock was set, or gives back tokens that others wait behind,
 * who move up together.
 */
const leasedBound = ({ isTimely, troubles: { losses, steps, ends } }: World): number =>
  (2 + (isTimely ? 0 : 1) + losses + steps + ends) * LIMIT.capacity + ROUNDING;

/** The same of the shares: each process has a part of the rate, of which it collects a token. */
const localBound = ({ processes, nowMs }: World): number =>
  processes.length + SHARES * LIMIT.capacity + ((SHARES - 1) * nowMs * LIMIT.refillPerSecond) / 1_000;

/** Why a rule is broken, if one is. */
export function isBeyond(world: World): string | undefined {
  const { leased, local } = world;
  if (leased.most > leasedBound(world)) return `${leased.most} tokens were granted beyond rate · time`;
  if (local.most > localBound(world)) return `${local.most} tokens of shares were spent beyond rate · time`;
  return undefined;
}
