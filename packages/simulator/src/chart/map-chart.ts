import { block, figure, type Heading, headingHeight, MARGIN, WIDTH } from './frame.ts';
import { COLOURS, type Colour } from './palette.ts';
import { element, label } from './svg.ts';
import { type Type, wrap } from './text-width.ts';

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
  /** The names of the axes, and the values of each. Several names below stand for as many parts of the columns. */
  readonly x: string | readonly string[];
  readonly y: string;
  readonly columns: readonly string[];
  readonly rows: readonly string[];
  /**
   * The width of the names of the rows, in pixels. With more than the default they are smaller, and may take two lines.
   * @default 66
   */
  readonly rowsWidth?: number;
  /** The cells by row, then by column. */
  readonly panels: readonly { readonly name: string; readonly cells: readonly (readonly MapCell[])[] }[];
}

/** Twice as large as other texts would be: in a column of 360 pixels the figure is half as wide. */
const NUMBER: Type = { size: 17 };
const PANEL_NAME: Type = { size: 20, bold: true };
const ROW_NAME: Type = { size: 13 };
const ROW_LINE_HEIGHT = 16;
const ROWS_WIDTH = 66;
const CELL_HEIGHT = 32;
const GAP = 3;
const PANEL_GAP = 24;

/** A panel of outlined and filled cells for each map, two side by side. A panel that stands alone is as wide as both. */
export function mapChart(chart: MapChart): string {
  const { y, columns, rows, rowsWidth = ROWS_WIDTH, panels } = chart;
  const xs = namesOf(chart);
  const width = WIDTH - 2 * MARGIN;
  const panelWidth = panels.length === 1 ? width : (width - PANEL_GAP) / 2;
  const cellWidth = (panelWidth - rowsWidth) / columns.length;
  const partWidth = (columns.length * cellWidth) / xs.length;
  const rowType = rowsWidth > ROWS_WIDTH ? ROW_NAME : NUMBER;
  const rowLines = rows.map((text) => wrap(text, rowType, rowsWidth - 8));
  const panelHeight = 36 + rows.length * CELL_HEIGHT + 62;
  const top = headingHeight(chart) + 4;
  const middle = { 'text-anchor': 'middle', 'font-size': NUMBER.size };
  const drawn = panels.map(({ name, cells }, at) => {
    const left = MARGIN + (at % 2) * (panelWidth + PANEL_GAP);
    const from = top + Math.floor(at / 2) * panelHeight;
    const first = left + rowsWidth;
    const below = from + 36 + rows.length * CELL_HEIGHT;
    const centre = (column: number): number => first + (column + 0.5) * cellWidth;
    const pieces = cells.flatMap((row, down) => {
      const above = from + 36 + down * CELL_HEIGHT;
      const line = above + CELL_HEIGHT / 2 + 6;
      return [
        ...(rowLines[down] ?? []).map((text, at, { length }) =>
          label(text, {
            x: first - 8,
            y: line + (at - (length - 1) / 2) * ROW_LINE_HEIGHT,
            'text-anchor': 'end',
            'font-size': rowType.size,
          }),
        ),
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
      ...xs.map((text, part) =>
        label(text, { x: first + (part + 0.5) * partWidth, y: below + 46, ...middle }),
      ),
    );
  });
  return figure(chart, top + Math.ceil(panels.length / 2) * panelHeight, ...drawn);
}

function namesOf({ x }: MapChart): readonly string[] {
  return typeof x === 'string' ? [x] : x;
}

/** The cells in words, row by row. */
function wordsOf(chart: MapChart, cells: readonly (readonly MapCell[])[]): string {
  const { rows, columns, y } = chart;
  const xs = namesOf(chart);
  const partLength = columns.length / xs.length;
  const words = rows.map((row, down) => {
    const own = (cells[down] ?? []).map(({ text, filled }, at) => {
      const part = at % partLength === 0 ? `${xs[at / partLength]} ` : '';
      return `${part}${columns[at]}: ${text}${filled ? ', filled' : ''}`;
    });
    return `${y} ${row}. ${own.join('; ')}`.trimStart();
  });
  return words.join('. ');
}
