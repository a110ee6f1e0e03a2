import { percentText } from '../overload/percent.ts';
import type { Table } from '../table.ts';
import { BARS, gainOf, meanOf, shareAbove, worstOf } from './gains.ts';
import type { WorldRuns } from './runs.ts';
import { NO_RETRIES, THROTTLE } from './schemes.ts';
import type { World } from './worlds.ts';

/** The number of the worst worlds in the table. */
const WORST = 10;

/** Points with a sign: + for more than no retries answer. */
export function pointsText(points: number): string {
  const text = Math.abs(points).toFixed(Math.abs(points) < 9.95 ? 1 : 0);
  if (Number(text) === 0) return '0';
  return points > 0 ? `+${text}` : `−${text}`;
}

/** Rounded down: all is all. */
function shareText(share: number): string {
  return `${(Math.floor(1_000 * share) / 10).toFixed(1)}\u00a0%`;
}

export function worldText({ trouble, clients, requestsPerSecond, serviceMs }: World): string {
  return `${trouble}, ${clients.toLocaleString('en')} × ${requestsPerSecond}/s × ${serviceMs} ms`;
}

/**
 * The answers of each scheme for each trouble, the share of worlds where the scheme is good enough, and the worst
 * worlds of the throttle.
 */
export function gridTable(all: readonly WorldRuns[]): Table {
  const schemes = Object.keys(all[0]?.percents ?? {});
  const troubles = [...new Set(all.map(({ world }) => world.trouble))];
  const means = [
    ...troubles.map((trouble) => [trouble, all.filter(({ world }) => world.trouble === trouble)] as const),
    ['all', all] as const,
  ];
  const gain = (runs: WorldRuns, name: string): string =>
    name === NO_RETRIES ? '' : pointsText(gainOf(runs, name));
  return {
    columns: ['', ...schemes],
    rows: [
      ...means.map(([name, runs]) => [name, ...schemes.map((scheme) => percentText(meanOf(runs, scheme)))]),
      ...Object.values(BARS).map((bar) => [
        `worlds ≥ ${bar.name}`,
        ...schemes.map((scheme) => shareText(shareAbove(all, scheme, bar))),
      ]),
      ...worstOf(all, THROTTLE, WORST).map((runs) => [
        worldText(runs.world),
        ...schemes.map((scheme) => gain(runs, scheme)),
      ]),
    ],
    legend: [
      'First lines: answered, the mean of the worlds with this trouble.',
      'worlds ≥ …: the share of worlds in which the worst seed answers that much, compared with the same seed.',
      `Last lines: clients × load × time to serve where ${THROTTLE} is furthest below no retries, in points: the worst seed.`,
    ].join('\n'),
  };
}
