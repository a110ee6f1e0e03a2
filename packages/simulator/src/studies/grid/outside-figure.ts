import { finding } from '../../chart/frame.ts';
import { type MapCell, mapChart } from '../../chart/map-chart.ts';
import { wholeText } from './grid-figure.ts';
import { MIXED_RATES, MIXES, nameOf } from './mixes.ts';
import { THROTTLE } from './schemes.ts';
import { cellsOf, LESS, type VariedRun } from './variety.ts';

/** The width of the kinds of services, in pixels. */
const KINDS_WIDTH = 146;

function cellOf(points: number): MapCell {
  const isLess = points < -LESS;
  return {
    text: wholeText(points),
    filled: isLess,
    colour: isLess ? 'red' : points > LESS ? 'green' : 'grey',
  };
}

/** How many points more than no retries the throttle answers, by kind of service, clients and load. */
export function outsideFigure(all: readonly VariedRun[]): string {
  const cells = cellsOf(all, THROTTLE);
  const gains = new Map(cells.map(({ world, gain }) => [world, gain]));
  const kinds = [...new Set(all.map(({ kind }) => kind))];
  const low = cells.filter(({ gain }) => gain < -LESS).length;
  return mapChart({
    title: finding(
      low < cells.length / 5,
      `In ${cells.length - low} of ${cells.length} services outside the grid ${THROTTLE} answers at most a point less than no retries`,
      `What ${THROTTLE} answers beside no retries in services outside the grid`,
    ),
    note: 'Points of the requests answered, more (+) or less (−) than without retries, with the worst seed. Red and filled: more than a point less.',
    x: MIXED_RATES.map((rate) => `Clients, ${rate}/s`),
    y: 'Service',
    columns: MIXES.map(({ clients }) => clients.toLocaleString('en')),
    rows: kinds,
    rowsWidth: KINDS_WIDTH,
    panels: [
      {
        name: THROTTLE,
        cells: kinds.map((kind) => MIXES.map((mix) => cellOf(gains.get(nameOf(kind, mix)) ?? Number.NaN))),
      },
    ],
  });
}
