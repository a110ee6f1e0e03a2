import { finding } from '../../chart/frame.ts';
import { type MapCell, mapChart } from '../../chart/map-chart.ts';
import { gainOf, meanOf } from './gains.ts';
import { pointsText } from './grid-table.ts';
import type { WorldRuns } from './runs.ts';
import { BUDGET, NO_RETRIES, THROTTLE } from './schemes.ts';
import { CLIENTS, RATES } from './worlds.ts';

/** In points: as good as no retries. */
const SAME = 3;
/** In points: from here on a cell is filled. */
const MUCH = 10;

/** A cell without worlds is empty. */
function cellOf(points: number): MapCell {
  if (!Number.isFinite(points)) return { text: '', filled: false, colour: 'grey' };
  const colour = Math.abs(points) <= SAME ? 'grey' : points > 0 ? 'green' : 'red';
  return { text: wholeText(points), filled: Math.abs(points) > MUCH, colour };
}

/** Whole points are enough for a cell. */
export function wholeText(points: number): string {
  return pointsText(Math.round(points)).replace(/\.0$/, '');
}

function worst(all: readonly WorldRuns[], scheme: string): number {
  return Math.min(...all.map((runs) => gainOf(runs, scheme)));
}

/** How many points more than no retries answer, by clients and load, for each scheme: the mean, and the worst world. */
export function gridFigure(all: readonly WorldRuns[]): string {
  const schemes = Object.keys(all[0]?.percents ?? {}).filter((name) => name !== NO_RETRIES);
  const gain = (runs: readonly WorldRuns[], scheme: string): number =>
    meanOf(runs, scheme) - meanOf(runs, NO_RETRIES);
  const at = (rate: number, clients: number): WorldRuns[] =>
    all.filter(({ world }) => world.requestsPerSecond === rate && world.clients === clients);
  const more = Math.round(gain(all, THROTTLE));
  const lost = (scheme: string): number => -Math.round(worst(all, scheme));
  return mapChart({
    title: finding(
      more > 0 && lost(THROTTLE) < lost(BUDGET),
      `In ${all.length} services in trouble adaptiveThrottle() answers ${more}\u00a0points more than no retries, and at worst ${lost(THROTTLE)} less; ${BUDGET} at worst ${lost(BUDGET)}`,
      'What each way to retry answers beside no retries, in services of many sizes and troubles',
    ),
    note: `Points of the requests answered, more (+) or less (−) than without retries. First line of each load: the mean of its worlds; second: the worst world with its worst seed. Filled: more than ${MUCH}.`,
    x: 'Clients',
    y: 'Load',
    columns: CLIENTS.map((clients) => clients.toLocaleString('en')),
    rows: RATES.flatMap((rate) => [`${rate}/s`, 'worst']),
    panels: schemes.map((name) => ({
      name,
      cells: RATES.flatMap((rate) => [
        CLIENTS.map((clients) => cellOf(gain(at(rate, clients), name))),
        CLIENTS.map((clients) => cellOf(worst(at(rate, clients), name))),
      ]),
    })),
  });
}
