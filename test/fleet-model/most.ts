import { LIMIT, type World } from './world.ts';

/** The most that was spent beyond `rate · time` in any window, in capacities, by the troubles until then. */
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
  most.set(name, Math.max(most.get(name) ?? 0, world.most / LIMIT.capacity));
}

/** A rounding error that no sum of times reaches. */
const ROUNDING = 1e-6;

/**
 * The most that a fleet may spend beyond `rate · time`, in capacities. The bucket holds one, and leased tokens that idle are another one:
 * at least a token for each process. Each loss of the store, lost call and step of its clock may cost one more: a process restores what it
 * saw last, has its share without the store, or does not notice that the clock was set.
 */
export function boundOf({ processes, troubles: { drops, losses, steps } }: World): number {
  const idle = Math.max(1, processes.length / LIMIT.capacity - 1);
  return 1 + idle + losses + drops + steps + ROUNDING;
}

/** Why the rule is broken, if it is. */
export const isBeyond = (world: World): string | undefined =>
  world.most / LIMIT.capacity > boundOf(world) ? `${world.most} tokens beyond rate · time` : undefined;
