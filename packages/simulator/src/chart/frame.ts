import { COLOURS } from './palette.ts';
import { element, label } from './svg.ts';
import { type Type, wrap } from './text-width.ts';

/** The width of a figure, in pixels, unless its heading has another. */
export const WIDTH = 760;
export const MARGIN = 16;
const TITLE: Type = { size: 19, bold: true };
const NOTE: Type = { size: 13 };
/** The type of ordinary text. */
export const TEXT: Type = { size: 14 };
/** The type of names. */
export const NAME: Type = { size: 14, bold: true };
/** The line height of these two. */
export const LINE_HEIGHT = 18;

/** The texts above a figure. */
export interface Heading {
  /** The finding or the subject of the figure, as a sentence. */
  readonly title: string;
  /** The setting, in one or two sentences. */
  readonly note: string;
  /**
   * The width of the figure, in pixels. At 440 its text can be read on a phone, which shows it at three quarters of its size.
   * @default 760
   */
  readonly width?: number;
}

function headingLines({ title, note, width = WIDTH }: Heading): {
  readonly titles: string[];
  readonly notes: string[];
} {
  const textWidth = width - 2 * MARGIN;
  return { titles: wrap(title, TITLE, textWidth), notes: wrap(note, NOTE, textWidth) };
}

/** The height of the heading. */
export function headingHeight(heading: Heading): number {
  const { titles, notes } = headingLines(heading);
  return MARGIN + titles.length * 24 + notes.length * 18 + 14;
}

/** A whole figure. It has no background, and its colours are readable on light and on dark pages. */
export function figure(heading: Heading, height: number, ...children: readonly string[]): string {
  const { width = WIDTH } = heading;
  const { titles, notes } = headingLines(heading);
  const lines = [
    ...titles.map((text, at) =>
      label(text, { x: MARGIN, y: MARGIN + 14 + at * 24, 'font-size': TITLE.size, 'font-weight': 600 }),
    ),
    ...notes.map((text, at) =>
      label(text, { x: MARGIN, y: MARGIN + 12 + titles.length * 24 + at * 18, 'font-size': NOTE.size }),
    ),
  ];
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
    'aria-label': `${heading.title}. ${heading.note}`,
    'font-family': "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Arial, sans-serif",
    'font-size': TEXT.size,
    fill: COLOURS.grey,
  };
  return `${element('svg', attributes, ...lines, ...children)}\n`;
}

/** A text of several lines. `middle` is the middle of the whole block. */
export function block(
  lines: readonly string[],
  x: number,
  middle: number,
  attributes: Readonly<Record<string, string | number>> = {},
): string[] {
  const first = middle + 5 - ((lines.length - 1) * LINE_HEIGHT) / 2;
  return lines.map((text, at) => label(text, { x, y: first + at * LINE_HEIGHT, ...attributes }));
}

/** The title of a figure: the finding if the figure shows it, else the subject. Another seed may not show it. */
export function finding(holds: boolean, text: string, otherwise: string): string {
  return holds ? text : otherwise;
}
