import { block, type Heading, headingHeight, LINE_HEIGHT, MARGIN, TEXT, WIDTH } from './frame.ts';
import { COLOURS } from './palette.ts';
import { linearScale, numeral, roundUp, type Scale, stepFor } from './scale.ts';
import { element, label } from './svg.ts';
import { widthOf, wrap } from './text-width.ts';

/** The least height of the plot, and its least distance from the left edge. */
const HEIGHT = 300;
const LEFT = 72;
/** The least gap between two texts in a line. */
const APART = 12;

/** The texts, values and sizes that the axes of a plot depend on. */
export interface PlotNeeds {
  /** The names of the axes. */
  readonly x: string;
  readonly y: string;
  /** The largest values. */
  readonly last: number;
  readonly highest: number;
  /** The end of the y axis, if it is fixed. */
  readonly most?: number | undefined;
  readonly right: number;
  /** The least height. */
  readonly height: number;
}

/** The area in which a line chart draws its lines. */
export interface Plot {
  /** The width of the whole figure. */
  readonly width: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly x: Scale;
  readonly y: Scale;
  readonly most: number;
  readonly xName: readonly string[];
  readonly yName: readonly string[];
  /** The height of the whole figure. */
  readonly figureHeight: number;
}

function widest({ ticks }: Scale): number {
  return Math.max(...ticks.map((tick) => widthOf(numeral(tick), TEXT)));
}

/** The x axis, with as many ticks as have room, at most about six. */
function xScale(last: number, left: number, right: number): Scale {
  const scales = [6, 5, 4, 3, 2].map((steps) => linearScale(last, left, right, stepFor(last, steps)));
  const roomy = scales.find((scale) => widest(scale) + APART <= scale(scale.ticks[1] ?? last) - left);
  return roomy ?? linearScale(last, left, right, 2 * last);
}

/** Lays out the area of the lines, with room for the texts around it. */
export function plotOf(heading: Heading, needs: PlotNeeds): Plot {
  const { width = WIDTH } = heading;
  const { last, highest, right, most = roundUp(highest) } = needs;
  const yName = wrap(needs.y, TEXT, width - 2 * MARGIN);
  const top = headingHeight(heading) + 6 + yName.length * LINE_HEIGHT;
  const bottom = top + Math.max(HEIGHT, needs.height);
  const y = linearScale(most, bottom, top, stepFor(needs.most ?? (highest || most), 4));
  const left = Math.max(LEFT, MARGIN + widest(y) + 8);
  const x = xScale(last || 1, left, right);
  const xName = wrap(needs.x, TEXT, right - left);
  const figureHeight = bottom + 34 + xName.length * LINE_HEIGHT;
  return { width, left, right, top, bottom, x, y, most, xName, yName, figureHeight };
}

/** The grid, its numbers, and the names of the axes. */
export function drawnAxes({ width, left, right, top, bottom, x, y, xName, yName }: Plot): string[] {
  const grid = y.ticks.flatMap((tick) => [
    element('line', {
      x1: left,
      x2: right,
      y1: y(tick),
      y2: y(tick),
      stroke: COLOURS.grey,
      'stroke-opacity': tick === 0 ? '0.8' : '0.25',
    }),
    label(numeral(tick), { x: left - 8, y: y(tick) + 5, 'text-anchor': 'end' }),
  ]);
  const marks = x.ticks
    .filter((tick) => x(tick) + widthOf(numeral(tick), TEXT) / 2 <= width)
    .map((tick) => label(numeral(tick), { x: x(tick), y: bottom + 22, 'text-anchor': 'middle' }));
  const above = top - 18 - ((yName.length - 1) * LINE_HEIGHT) / 2;
  const below = bottom + 36 + ((xName.length - 1) * LINE_HEIGHT) / 2;
  const names = [
    ...block(yName, MARGIN, above),
    ...block(xName, (left + right) / 2, below, { 'text-anchor': 'middle' }),
  ];
  return [...grid, ...marks, ...names];
}
