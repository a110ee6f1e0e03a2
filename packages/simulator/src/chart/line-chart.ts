import { drawnAxes, plotOf } from './axes.ts';
import { type Band, drawnBands } from './bands.ts';
import { block, figure, type Heading, LINE_HEIGHT, MARGIN, NAME, WIDTH } from './frame.ts';
import { spread } from './labels.ts';
import { COLOURS, type Colour } from './palette.ts';
import type { Scale } from './scale.ts';
import { element, pathThrough } from './svg.ts';
import { widthOf, wrap } from './text-width.ts';
import { type Curve, type Place, turnsOf } from './turns.ts';

/** A line with a label at its end. */
export interface Line {
  readonly name: string;
  readonly colour: Colour;
  /** In order of x. */
  readonly points: readonly (readonly [x: number, y: number])[];
  /** The lowest and the highest value at each of these points: a band around the line. */
  readonly range?: readonly (readonly [low: number, high: number])[];
  /** Keeps the value until the next point. */
  readonly steps?: boolean;
  /** The lengths of dashes and gaps, in pixels; `true` is `[6, 4]`. */
  readonly dashed?: boolean | readonly number[];
}

/** The contents of a line chart. */
export interface LineChart extends Heading {
  readonly x: string;
  readonly y: string;
  readonly lines: readonly Line[];
  readonly bands?: readonly Band[];
  /** The end of the y axis. Higher values are cut. */
  readonly most?: number;
}

/** The gap between the plot and the labels. */
const LABEL_GAP = 16;
/** Names that take a larger share of the width are broken into lines: 240 of 760 pixels. */
const WIDEST_LABEL = 240 / 760;

function checkLines(lines: readonly Line[]): void {
  if (lines.length === 0) throw new RangeError('lines must have at least one line, got none');
  const empty = lines.find(({ points }) => points.length === 0);
  if (empty) throw new RangeError(`the line ${empty.name} must have at least one point, got none`);
}

function curveOf({ points, steps }: Line, x: Scale, y: Scale, most: number): Curve {
  const at = ([px, py]: readonly [number, number]): Place => [x(px), y(Math.min(py, most))];
  if (!steps) return points.map(at);
  return points.flatMap((point, index) => {
    const before = points[index - 1];
    return before === undefined ? [at(point)] : [at([point[0], before[1]]), at(point)];
  });
}

function stroke(d: string, colour: Colour, dashed: Line['dashed'] = false): string {
  return element('path', {
    d,
    fill: 'none',
    stroke: COLOURS[colour],
    'stroke-width': '2',
    'stroke-linejoin': 'round',
    'stroke-dasharray': dashed === true ? '6 4' : dashed ? dashed.join(' ') : undefined,
  });
}

/** A line; a circle for a single point. */
function drawLine(curve: Curve, { colour, dashed }: Line): string {
  const [[cx, cy], ...others] = curve as readonly [Place, ...Place[]];
  return others.length === 0
    ? element('circle', { cx, cy, r: 3 })
    : stroke(pathThrough(curve), colour, dashed);
}

/** The band around a line, from its highest values back along its lowest. */
function bandOf({ points, range, colour }: Line, x: Scale, y: Scale, most: number): string[] {
  if (range === undefined) return [];
  const edge = (side: 0 | 1): Place[] =>
    points.map(([px], at) => [x(px), y(Math.min(range[at]?.[side] ?? 0, most))]);
  const d = `${pathThrough([...edge(1), ...edge(0).reverse()])}Z`;
  return [element('path', { d, fill: COLOURS[colour], 'fill-opacity': '0.25' })];
}

/** Connects the end of a line with its label, which may be at another height. */
function leader(right: number, from: number, to: number, colour: Colour): string {
  const d = pathThrough([
    [right + 1, from],
    [right + LABEL_GAP - 3, to],
  ]);
  return element('path', { d, fill: 'none', stroke: COLOURS[colour], 'stroke-opacity': '0.6' });
}

/**
 * Lines with their names at their ends. The figure is as high as the names need. Coinciding lines are drawn in turns,
 * so that each line is visible.
 * @throws RangeError if there are no lines, or a line has no points
 */
export function lineChart(chart: LineChart): string {
  const { lines, bands = [], width = WIDTH } = chart;
  checkLines(lines);
  const names = lines.map(({ name }) => wrap(name, NAME, WIDEST_LABEL * width));
  const heights = names.map((name) => name.length * LINE_HEIGHT);
  const plot = plotOf(chart, {
    ...chart,
    last: lines.reduce((last, { points }) => points.reduce((most, [px]) => Math.max(most, px), last), 0),
    highest: lines.reduce((last, { points }) => points.reduce((most, [, py]) => Math.max(most, py), last), 0),
    right: width - MARGIN - LABEL_GAP - Math.max(...names.flat().map((text) => widthOf(text, NAME))),
    height: heights.reduce((sum, height) => sum + height, 0),
  });
  const { x, y, left, right, top, bottom, most, figureHeight } = plot;

  const curves = lines.map((line) => curveOf(line, x, y, most));
  const ends = curves.map((curve) => (curve.at(-1) as Place)[1]);
  // From half a line above the plot to half a line below it, clear of the texts of the axes.
  const places = spread(ends, heights, top - LINE_HEIGHT / 2, bottom + LINE_HEIGHT / 2);
  const labelled = lines.map((line, at) =>
    element(
      'g',
      { 'aria-label': line.name, fill: COLOURS[line.colour] },
      ...bandOf(line, x, y, most),
      drawLine(curves[at] as Curve, line),
      leader(right, ends[at] as number, places[at] as number, line.colour),
      ...block(names[at] as string[], right + LABEL_GAP, places[at] as number, { 'font-weight': 600 }),
    ),
  );
  const turns = turnsOf(curves, left, right).flatMap((pieces, at) =>
    pieces.length === 0 ? [] : stroke(pieces.map(pathThrough).join(''), (lines[at] as Line).colour),
  );
  return figure(
    chart,
    figureHeight,
    ...drawnBands(bands, x, plot),
    ...drawnAxes(plot),
    ...labelled,
    ...turns,
  );
}
