import { block, figure, type Heading, headingHeight, MARGIN, WIDTH } from './frame.ts';
import { COLOURS, type Colour } from './palette.ts';
import { element, label } from './svg.ts';
import type { Type } from './text-width.ts';

/** A case of a map. */
export interface MapCell {
  readonly text: string;
  /** Filled cells stand out, also without colours. */
  readonly filled: boolean;
  /** @default red if filled, else green */
  readonly colour?: Colour;
}

/** Two axes, and a panel for each of several maps over them. */
export interface MapChart extends Heading {
  /** The names of the axes, and the values of each. */
  readonly x: string;
  readonly y: string;
  readonly columns: readonly string[];
  readonly rows: readonly string[];
  /** The cells by row, then by column. */
  readonly panels: readonly { readonly name: string; readonly cells: readonly (readonly MapCell[])[] }[];
}

/** Twice as large as other texts would be: in a column of 360 pixels the figure is half as wide. */
const NUMBER: Type = { size: 17 };
const PANEL_NAME: Type = { size: 20, bold: true };
const ROOM_FOR_ROWS = 66;
const CELL_HEIGHT = 32;
const GAP = 3;
const PANEL_GAP = 24;

/** A panel of outlined and filled cells for each map, two side by side. */
export function mapChart(chart: MapChart): string {
  const { x, y, columns, rows, panels } = chart;
  const panelWidth = (WIDTH - 2 * MARGIN - PANEL_GAP) / 2;
  const cellWidth = (panelWidth - ROOM_FOR_ROWS) / columns.length;
  const panelHeight = 36 + rows.length * CELL_HEIGHT + 62;
  const top = headingHeight(chart) + 4;
  const middle = { 'text-anchor': 'middle', 'font-size': NUMBER.size };
  const drawn = panels.map(({ name, cells }, at) => {
    const left = MARGIN + (at % 2) * (panelWidth + PANEL_GAP);
    const from = top + Math.floor(at / 2) * panelHeight;
    const first = left + ROOM_FOR_ROWS;
    const below = from + 36 + rows.length * CELL_HEIGHT;
    const centre = (column: number): number => first + (column + 0.5) * cellWidth;
    const pieces = cells.flatMap((row, down) => {
      const above = from + 36 + down * CELL_HEIGHT;
      const line = above + CELL_HEIGHT / 2 + 6;
      return [
        label(rows[down] as string, {
          x: first - 8,
          y: line,
          'text-anchor': 'end',
          'font-size': NUMBER.size,
        }),
        ...row.flatMap(({ text, filled, colour = filled ? 'red' : 'green' }, column) => [
          element('rect', {
            x: first + column * cellWidth + GAP / 2,
            y: above + GAP / 2,
            width: cellWidth - GAP,
            height: CELL_HEIGHT - GAP,
            rx: 3,
            fill: filled ? COLOURS[colour] : 'none',
            stroke: COLOURS[colour],
            'stroke-width': 1.5,
          }),
          label(text, {
            x: centre(column),
            y: line,
            ...middle,
            ...(filled && { fill: '#fff', 'font-weight': 600 }),
          }),
        ]),
      ];
    });
    return element(
      'g',
      { 'aria-label': `${name}. ${wordsOf(chart, cells)}` },
      ...block([name], first, from + 16, { 'font-size': PANEL_NAME.size, 'font-weight': 600 }),
      label(y, { x: left, y: from + 21, 'font-size': NUMBER.size }),
      ...pieces,
      ...columns.map((text, column) => label(text, { x: centre(column), y: below + 22, ...middle })),
      label(x, { x: first + (columns.length * cellWidth) / 2, y: below + 46, ...middle }),
    );
  });
  return figure(chart, top + Math.ceil(panels.length / 2) * panelHeight, ...drawn);
}

/** The cells in words, row by row. */
function wordsOf({ rows, columns, x, y }: MapChart, cells: readonly (readonly MapCell[])[]): string {
  const words = rows.map((row, down) => {
    const own = (cells[down] ?? []).map(
      ({ text, filled }, at) => `${columns[at]}: ${text}${filled ? ', filled' : ''}`,
    );
    return `${y} ${row}. ${x} ${own.join('; ')}`;
  });
  return words.join('. ');
}
