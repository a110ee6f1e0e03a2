import type { Surge } from '../../scenario/client-options.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { ServerOptions } from '../../scenario/server-options.ts';
import type { Study } from '../study.ts';
import { MIXES, nameOf } from './mixes.ts';
import { outsideFigure } from './outside-figure.ts';
import { type Remedy, type VariedWorld, variedStudy } from './variety.ts';
import { scenarioOf } from './worlds.ts';

const SERVICE_MS = 60;
const TROUBLES = ['half the capacity', 'refusals', 'silence 5 s', 'load .8'] as const;

/** A world of the grid, changed. */
function changeWorlds(
  kind: string,
  trouble: string,
  server: Partial<ServerOptions>,
  attemptTimeoutMs = 1_000,
): VariedWorld[] {
  return MIXES.map((mix) => {
    const scenario = scenarioOf({ ...mix, trouble, serviceMs: SERVICE_MS });
    return {
      kind: `${kind}: ${trouble}`,
      name: nameOf(`${kind}: ${trouble}`, mix),
      scenario: { ...scenario, server: { ...scenario.server, ...server } },
      policy: { attemptTimeoutMs },
    };
  });
}

/** A service without trouble of its own. */
function quietWorlds(
  kind: string,
  load: number,
  more: Partial<ServerOptions>,
  surges: readonly Surge[] = [],
): VariedWorld[] {
  const { stragglers } = more;
  const meanMs = SERVICE_MS * (1 + (stragglers ? stragglers.share * (stragglers.factor - 1) : 0));
  const durationMs = surges.at(-1)?.untilMs ?? 120_000;
  return MIXES.map((mix) => {
    const { clients: count, requestsPerSecond } = mix;
    const capacity = requestsPerSecond / load;
    const server = {
      workers: Math.round((capacity * meanMs) / 1_000),
      serviceMs: SERVICE_MS,
      maxQueue: Math.round(2 * capacity),
      ...more,
    };
    const clients = { count, requestsPerSecond, surges };
    const scenario: Omit<Scenario, 'policy'> = { durationMs, clients, server };
    return { kind, name: nameOf(kind, mix), scenario, policy: { attemptTimeoutMs: 1_000 } };
  });
}

const STEPS = 24;
const STEP_MS = 15_000;
/** A day in six minutes: its load is 0.3 at night and 1.3 at noon. */
const DAY: readonly Surge[] = Array.from({ length: STEPS }, (_, at) => ({
  fromMs: at * STEP_MS,
  untilMs: (at + 1) * STEP_MS,
  factor: 0.8 - 0.5 * Math.cos((2 * Math.PI * (at + 0.5)) / STEPS),
}));

/** Ten times as many requests for two seconds, each half minute. */
const BURSTS: readonly Surge[] = [10, 40, 70, 100].flatMap((second) => [
  { fromMs: second * 1_000, untilMs: (second + 2) * 1_000, factor: 10 },
  { fromMs: (second + 2) * 1_000, untilMs: (second + 30) * 1_000, factor: 1 },
]);

const late = (share: number, factor: number): Partial<ServerOptions> => ({
  serviceSpread: 'constant',
  stragglers: { share, factor },
});

export const OUTSIDE: readonly VariedWorld[] = [
  ...TROUBLES.flatMap((trouble) => changeWorlds('log-normal', trouble, { serviceSpread: 'log-normal' })),
  ...TROUBLES.flatMap((trouble) => changeWorlds('Pareto', trouble, { serviceSpread: 'pareto' })),
  ...TROUBLES.flatMap((trouble) => changeWorlds('timeout 250 ms', trouble, {}, 250)),
  ...TROUBLES.flatMap((trouble) => changeWorlds('timeout 10 s', trouble, {}, 10_000)),
  ...quietWorlds('a day, load 0.3 to 1.3', 1, {}, DAY),
  ...quietWorlds('bursts of ten times', 0.5, {}, BURSTS),
  ...quietWorlds('half of all answers too late', 0.75, late(0.5, 25)),
  ...quietWorlds('a quarter of the connections dead', 0.75, late(0.25, 100)),
];

export const LONGER: Remedy = {
  name: '4 × the timeout',
  policyOf: ({ attemptTimeoutMs = 0, ...policy }) => ({ ...policy, attemptTimeoutMs: 4 * attemptTimeoutMs }),
};

export const outside: Study = variedStudy(
  'grid-outside',
  'services outside the grid: tails, timeouts, days, bursts',
  OUTSIDE,
  {
    figures: [{ name: 'grid-outside', svgOf: outsideFigure }],
    remedy: LONGER,
  },
);
