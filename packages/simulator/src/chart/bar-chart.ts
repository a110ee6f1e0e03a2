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

/** A value of a row: parts side by side, and a text. */
interface Bar {
  readonly parts: readonly BarPart[];
  readonly text: string;
}

/** A row: a name, and a bar in each column. */
interface Row {
  readonly name: string;
  readonly bars: readonly Bar[];
}

/** The contents of a bar chart. */
export interface BarChart extends Heading {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

const ROW_HEIGHT = 26;
const BAR_HEIGHT = 14;
/** The gaps between a bar and its text, and between columns. */
const GAP = 8;
const COLUMN_GAP = 16;
/** Wider names are broken into lines. */
const WIDEST_NAME = 240;
/** The least length of the longest bar of a column. */
const SHORTEST = 24;

function widest(texts: readonly string[], type: typeof TEXT): number {
  return Math.max(0, ...texts.map((text) => widthOf(text, type)));
}

function sumOf(bar: Bar | undefined): number {
  return (bar?.parts ?? []).reduce((sum, { value }) => sum + value, 0);
}

/** The length of the bar of a value, in a column of this width. */
function scaleOf({ columns, rows }: BarChart, column: number, width: number): (value: number) => number {
  const bars = rows.map((row) => row.bars[column]);
  const texts = widest(
    bars.map((bar) => bar?.text ?? ''),
    TEXT,
  );
  const room = width - COLUMN_GAP - GAP - texts;
  if (room < SHORTEST) {
    throw new RangeError(
      `columns must leave room for "${columns[column]}", got ${columns.length} columns in ${WIDTH} pixels`,
    );
  }
  const most = roundUp(Math.max(0, ...bars.map(sumOf)), 10);
  return (value) => (value / most) * room;
}

/**
 * Rows of bars, with a column for each measure. Long names and headings are broken into lines.
 * @throws RangeError if the texts of the columns leave no room for bars
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
