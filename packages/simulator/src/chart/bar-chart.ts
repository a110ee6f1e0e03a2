import {
  block,
  figure,
  type Heading,
  headingHeight,
  LINE_HEIGHT,
  MARGIN,
  NAME,
  TEXT,
  WIDTH,
} from './frame.ts';
import { COLOURS, type Colour } from './palette.ts';
import { roundUp } from './scale.ts';
import { element } from './svg.ts';
import { widthOf, wrap } from './text-width.ts';

/** Part of a bar. */
export interface BarPart {
  readonly value: number;
  readonly colour: Colour;
}

/** One value of a row: parts side by side, and what they come to in words. */
export interface Bar {
  readonly parts: readonly BarPart[];
  readonly text: string;
}

/** A row: its name, and a bar in each column. */
export interface Row {
  readonly name: string;
  readonly bars: readonly Bar[];
}

/** What a bar chart shows. */
export interface BarChart extends Heading {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

const ROW_HEIGHT = 26;
const BAR_HEIGHT = 14;
/** Between a bar and its text, and between columns. */
const GAP = 8;
const COLUMN_GAP = 16;
/** A wider name is broken into lines. */
const WIDEST_NAME = 240;
/** A bar that is the longest of its column is at least so long. */
const SHORTEST = 24;

function widest(texts: readonly string[], type: typeof TEXT): number {
  return Math.max(0, ...texts.map((text) => widthOf(text, type)));
}

function sumOf(bar: Bar | undefined): number {
  return (bar?.parts ?? []).reduce((sum, { value }) => sum + value, 0);
}

/** How long the bar of a value is, in a column of such a width. */
function scaleOf({ columns, rows }: BarChart, column: number, width: number): (value: number) => number {
  const bars = rows.map((row) => row.bars[column]);
  const texts = widest(
    bars.map((bar) => bar?.text ?? ''),
    TEXT,
  );
  const room = width - COLUMN_GAP - GAP - texts;
  if (room < SHORTEST) {
    throw new RangeError(
      `columns: there is no room for "${columns[column]}", one of ${columns.length}, in ${WIDTH} pixels`,
    );
  }
  const most = roundUp(Math.max(0, ...bars.map(sumOf)), 10);
  return (value) => (value / most) * room;
}

/**
 * Rows of bars, with a column for each measure. Names and headings are broken into lines where they are long.
 * @throws RangeError for columns whose texts leave no room for bars
 */
export function barChart(chart: BarChart): string {
  const { columns, rows } = chart;
  const names = rows.map(({ name }) => wrap(name, NAME, WIDEST_NAME));
  const left = MARGIN + widest(names.flat(), NAME) + 12;
  const columnWidth = (WIDTH - MARGIN - left + COLUMN_GAP) / columns.length;
  const scales = columns.map((_, column) => scaleOf(chart, column, columnWidth));
  const heads = columns.map((name) => wrap(name, TEXT, columnWidth - COLUMN_GAP));
  const headLines = Math.max(...heads.map((lines) => lines.length));
  const top = headingHeight(chart) + 12 + headLines * LINE_HEIGHT;
  const drawnHeads = heads.flatMap((lines, column) => {
    const middle = top - 17 - ((lines.length - 1) / 2) * LINE_HEIGHT;
    return block(lines, left + column * columnWidth, middle);
  });

  let bottom = top;
  const drawn = rows.map(({ name, bars }, at) => {
    const lines = names[at] as string[];
    const height = ROW_HEIGHT + (lines.length - 1) * LINE_HEIGHT;
    const middle = bottom + height / 2 - 4;
    bottom += height;
    const pieces = bars.flatMap(({ parts, text }, column) => {
      const width = scales[column] as (value: number) => number;
      let x = left + column * columnWidth;
      const drawnParts = parts.map(({ value, colour }) => {
        const part = { x, y: middle - 7, width: width(value), height: BAR_HEIGHT, fill: COLOURS[colour] };
        x += part.width;
        return element('rect', part);
      });
      return [...drawnParts, ...block([text], x + (parts.length > 0 ? GAP : 0), middle)];
    });
    const texts = bars.map(({ text }, column) => `${columns[column]}: ${text}`).join(', ');
    return element(
      'g',
      { 'aria-label': `${name}. ${texts}` },
      ...block(lines, left - 12, middle, { 'text-anchor': 'end', 'font-weight': 600 }),
      ...pieces,
    );
  });
  return figure(chart, bottom + 8, ...drawnHeads, ...drawn);
}
