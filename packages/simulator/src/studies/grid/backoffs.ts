import type { FleetPolicy } from '../../scenario/fleet-policy.ts';
import type { Study } from '../study.ts';
import { worldText } from './grid-table.ts';
import { type VariedWorld, variedStudy } from './variety.ts';
import { SMALL, scenarioOf } from './worlds.ts';

/** Every so many worlds. It shares no factor with the numbers of the grid, so all their values are met. */
const EVERY = 5;

const jitter = (baseMs: number, capMs: number): FleetPolicy => ({
  backoff: { fullJitter: { baseMs, capMs } },
});

const KINDS: Readonly<Record<string, FleetPolicy>> = {
  'the default backoff': {},
  'full jitter 100 ms to 1 s, as interactive()': jitter(100, 1_000),
  'full jitter 50 ms to 1 s': jitter(50, 1_000),
  'full jitter 100 ms to 2 s, three retries': { ...jitter(100, 2_000), maxRetries: 3 },
  'interactive(): 3 s in all': { ...jitter(100, 1_000), totalTimeoutMs: 3_000 },
  '… 10 s in all': { ...jitter(100, 1_000), totalTimeoutMs: 10_000 },
  'the default backoff, 5 s in all': { totalTimeoutMs: 5_000 },
  'no retries beside the throttle': { maxRetries: 0 },
};

export const BACKOFFS: readonly VariedWorld[] = Object.entries(KINDS).flatMap(([kind, more]) =>
  SMALL.filter((_, at) => at % EVERY === 0).map((world) => ({
    kind,
    name: worldText(world),
    scenario: scenarioOf(world),
    policy: { attemptTimeoutMs: 1_000, ...more },
  })),
);

export const backoffs: Study = variedStudy(
  'grid-backoffs',
  'the grid with short backoffs and short total timeouts',
  BACKOFFS,
);
