import { figure, type Heading, headingHeight, TEXT_SIZE, WIDTH } from './frame.ts';
import { widthOf } from './labels.ts';
import { COLOURS, type Colour } from './palette.ts';
import { roundUp } from './scale.ts';
import { element, label } from './svg.ts';

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
const GAP = 8;

/** Rows of bars, with a column for each measure. */
export function barChart(chart: BarChart): string {
  const { columns, rows } = chart;
  const top = headingHeight(chart) + 30;
  const left = 16 + Math.max(...rows.map(({ name }) => widthOf(name, TEXT_SIZE))) + 12;
  const columnWidth = (WIDTH - 16 - left + 16) / columns.length;
  const heads = columns.map((name, column) => label(name, { x: left + column * columnWidth, y: top - 12 }));
  const scales = columns.map((_, column) => {
    const widest = Math.max(...rows.map(({ bars }) => widthOf(bars[column]?.text ?? '', TEXT_SIZE)));
    const most = roundUp(
      Math.max(
        ...rows.map(({ bars }) => (bars[column]?.parts ?? []).reduce((sum, { value }) => sum + value, 0)),
      ),
      10,
    );
    return (value: number) => (value / most) * (columnWidth - GAP - widest - 16);
  });
  const drawn = rows.map(({ name, bars }, at) => {
    const y = top + at * ROW_HEIGHT;
    const pieces = bars.flatMap(({ parts, text }, column) => {
      const width = scales[column] as (value: number) => number;
      let x = left + column * columnWidth;
      const drawnParts = parts.map(({ value, colour }) => {
        const piece = element('rect', {
          x,
          y: y + 2,
          width: width(value),
          height: BAR_HEIGHT,
          fill: COLOURS[colour],
        });
        x += width(value);
        return piece;
      });
      return [...drawnParts, label(text, { x: x + (parts.length > 0 ? GAP : 0), y: y + 14 })];
    });
    const texts = bars.map(({ text }, column) => `${columns[column]}: ${text}`).join(', ');
    return element(
      'g',
      { 'aria-label': `${name}. ${texts}` },
      label(name, { x: left - 12, y: y + 14, 'text-anchor': 'end', 'font-weight': 600 }),
      ...pieces,
    );
  });
  return figure(chart, top + rows.length * ROW_HEIGHT + 8, ...heads, ...drawn);
}
