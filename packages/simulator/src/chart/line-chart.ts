import { drawnAxes, plotOf } from './axes.ts';
import { type Band, drawnBands } from './bands.ts';
import { block, figure, type Heading, LINE_HEIGHT, MARGIN, NAME, WIDTH } from './frame.ts';
import { spread } from './labels.ts';
import { COLOURS, type Colour } from './palette.ts';
import type { Scale } from './scale.ts';
import { element, pathThrough } from './svg.ts';
import { widthOf, wrap } from './text-width.ts';
import { type Curve, type Place, turnsOf } from './turns.ts';

/** A line, with the label at its end. */
export interface Line {
  readonly name: string;
  readonly colour: Colour;
  /** From the left to the right. */
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Whether the value holds until the next point. */
  readonly steps?: boolean;
  /** Dashes and the gaps between them, in pixels; `true` is `[6, 4]`. */
  readonly dashed?: boolean | readonly number[];
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

/** From the end of the plot to the labels. */
const LABEL_GAP = 16;
/** A wider name is broken into lines. */
const WIDEST_LABEL = 240;

function checkLines(lines: readonly Line[]): void {
  if (lines.length === 0) throw new RangeError('lines must hold at least one line, got none');
  const empty = lines.find(({ points }) => points.length === 0);
  if (empty) throw new RangeError(`points of the line ${empty.name} must hold at least one, got none`);
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

/** A line, and a single point, which would be a line of no length. */
function drawn(curve: Curve, { colour, dashed }: Line): string {
  const [[cx, cy], ...others] = curve as readonly [Place, ...Place[]];
  return others.length === 0
    ? element('circle', { cx, cy, r: 3 })
    : stroke(pathThrough(curve), colour, dashed);
}

/** From the end of a line to its label, which may have had to move aside. */
function leader(right: number, from: number, to: number, colour: Colour): string {
  const d = pathThrough([
    [right + 1, from],
    [right + LABEL_GAP - 3, to],
  ]);
  return element('path', { d, fill: 'none', stroke: COLOURS[colour], 'stroke-opacity': '0.6' });
}

/**
 * Lines from the left to the right, each with its name at its end. The figure grows as high as the names need, and
 * where lines lie on each other they take turns to be seen.
 * @throws RangeError for no lines, and for a line without points
 */
export function lineChart(chart: LineChart): string {
  const { lines, bands = [] } = chart;
  checkLines(lines);
  const names = lines.map(({ name }) => wrap(name, NAME, WIDEST_LABEL));
  const heights = names.map((name) => name.length * LINE_HEIGHT);
  const plot = plotOf(chart, {
    ...chart,
    last: lines.reduce((last, { points }) => points.reduce((most, [px]) => Math.max(most, px), last), 0),
    highest: lines.reduce((last, { points }) => points.reduce((most, [, py]) => Math.max(most, py), last), 0),
    right: WIDTH - MARGIN - LABEL_GAP - Math.max(...names.flat().map((text) => widthOf(text, NAME))),
    height: heights.reduce((sum, height) => sum + height, 0),
  });
  const { x, y, left, right, top, bottom, most, figureHeight } = plot;

  const curves = lines.map((line) => curveOf(line, x, y, most));
  const ends = curves.map((curve) => (curve.at(-1) as Place)[1]);
  // Half a line above the axis and below it: clear of its name, and of its numbers.
  const places = spread(ends, heights, top - LINE_HEIGHT / 2, bottom + LINE_HEIGHT / 2);
  const labelled = lines.map((line, at) =>
    element(
      'g',
      { 'aria-label': line.name, fill: COLOURS[line.colour] },
      drawn(curves[at] as Curve, line),
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
