import { figure, type Heading, headingHeight, TEXT_SIZE, WIDTH } from './frame.ts';
import { spread, widthOf } from './labels.ts';
import { COLOURS, type Colour } from './palette.ts';
import { linearScale, numeral, roundUp, type Scale, stepFor } from './scale.ts';
import { element, label, pathThrough } from './svg.ts';

/** A line, with the label at its end. */
export interface Line {
  readonly name: string;
  readonly colour: Colour;
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Whether the value holds until the next point. */
  readonly steps?: boolean;
  readonly dashed?: boolean;
}

/** A stretch of the x axis that is shaded, with its name. */
export interface Band {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** What a line chart shows. */
export interface LineChart extends Heading {
  readonly x: string;
  readonly y: string;
  readonly lines: readonly Line[];
  readonly bands?: readonly Band[];
  /** What the y axis goes up to; lines that go higher are cut. */
  readonly most?: number;
}

const PLOT = { left: 72, height: 300, below: 52, labelGap: 16 };
const LABEL_HEIGHT = 18;

function endOf(line: Line): number {
  return line.points.at(-1)?.[1] ?? 0;
}

function drawn({ points, steps }: Line, x: Scale, y: Scale, most: number): (readonly [number, number])[] {
  const at = ([px, py]: readonly [number, number]): readonly [number, number] => [
    x(px),
    y(Math.min(py, most)),
  ];
  if (!steps) return points.map(at);
  return points.flatMap((point, index) => {
    const before = points[index - 1];
    return before === undefined ? [at(point)] : [at([point[0], before[1]]), at(point)];
  });
}

function axes(chart: LineChart, x: Scale, y: Scale, right: number, top: number, bottom: number): string[] {
  const grid = y.ticks.flatMap((tick) => [
    element('line', {
      x1: PLOT.left,
      x2: right,
      y1: y(tick),
      y2: y(tick),
      stroke: COLOURS.grey,
      'stroke-opacity': tick === 0 ? '0.8' : '0.25',
    }),
    label(numeral(tick), { x: PLOT.left - 8, y: y(tick) + 5, 'text-anchor': 'end' }),
  ]);
  const marks = x.ticks.map((tick) =>
    label(numeral(tick), { x: x(tick), y: bottom + 20, 'text-anchor': 'middle' }),
  );
  const names = [
    label(chart.y, { x: 16, y: top - 12 }),
    label(chart.x, { x: (PLOT.left + right) / 2, y: bottom + 42, 'text-anchor': 'middle' }),
  ];
  return [...grid, ...marks, ...names];
}

/** From the end of a line to its label, which may have had to move aside. */
function leader(right: number, from: number, to: number, colour: string): string {
  const d = pathThrough([
    [right + 1, from],
    [right + PLOT.labelGap - 3, to],
  ]);
  return element('path', { d, fill: 'none', stroke: colour, 'stroke-opacity': '0.6' });
}

/** Lines from the left to the right, each with its name at its end. */
export function lineChart(chart: LineChart): string {
  const { lines, bands = [] } = chart;
  const top = headingHeight(chart) + 24;
  const bottom = top + PLOT.height;
  const right = WIDTH - 16 - PLOT.labelGap - Math.max(...lines.map(({ name }) => widthOf(name, TEXT_SIZE)));
  const all = lines.flatMap(({ points }) => points);
  const highest = chart.most ?? Math.max(...all.map(([, py]) => py));
  const most = chart.most ?? roundUp(highest);
  const last = Math.max(...all.map(([px]) => px));
  const x = linearScale(last, PLOT.left, right, stepFor(last, 6));
  const y = linearScale(most, bottom, top, stepFor(highest, 4));

  const shaded = bands.flatMap(({ name, from, to }) => [
    element('rect', {
      x: x(from),
      y: top,
      width: x(to) - x(from),
      height: PLOT.height,
      'fill-opacity': '0.12',
    }),
    label(name, { x: (x(from) + x(to)) / 2, y: top + 16, 'text-anchor': 'middle' }),
  ]);
  const places = spread(
    lines.map((line) => y(Math.min(endOf(line), most)) + 5),
    LABEL_HEIGHT,
    top,
    bottom + 5,
  );
  const curves = lines.map((line, at) =>
    element(
      'g',
      { 'aria-label': line.name, fill: COLOURS[line.colour] },
      element('path', {
        d: pathThrough(drawn(line, x, y, most)),
        fill: 'none',
        stroke: COLOURS[line.colour],
        'stroke-width': '2',
        'stroke-linejoin': 'round',
        'stroke-dasharray': line.dashed ? '6 4' : undefined,
      }),
      leader(right, y(Math.min(endOf(line), most)), (places[at] as number) - 5, COLOURS[line.colour]),
      label(line.name, { x: right + PLOT.labelGap, y: places[at], 'font-weight': 600 }),
    ),
  );
  return figure(chart, bottom + PLOT.below, ...shaded, ...axes(chart, x, y, right, top, bottom), ...curves);
}
