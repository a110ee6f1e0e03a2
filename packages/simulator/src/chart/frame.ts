import { COLOURS } from './palette.ts';
import { element, label } from './svg.ts';
import { type Type, wrap } from './text-width.ts';

export const WIDTH = 760;
export const MARGIN = 16;
const TITLE: Type = { size: 19, bold: true };
const NOTE: Type = { size: 13 };
/** The type of ordinary text. */
export const TEXT: Type = { size: 14 };
/** The type of names. */
export const NAME: Type = { size: 14, bold: true };
/** From one line of such a text to the next. */
export const LINE_HEIGHT = 18;

/** What stands above every figure. */
export interface Heading {
  /** What the figure shows, as a sentence. */
  readonly title: string;
  /** What was done, in a line or two. */
  readonly note: string;
}

function headingLines({ title, note }: Heading): { readonly titles: string[]; readonly notes: string[] } {
  const width = WIDTH - 2 * MARGIN;
  return { titles: wrap(title, TITLE, width), notes: wrap(note, NOTE, width) };
}

/** How much of the height the heading takes. */
export function headingHeight(heading: Heading): number {
  const { titles, notes } = headingLines(heading);
  return MARGIN + titles.length * 24 + notes.length * 18 + 14;
}

/**
 * A whole figure: the heading, and what stands below it. There is no background, and every colour is readable
 * on a light page and on a dark one.
 */
export function figure(heading: Heading, height: number, ...children: readonly string[]): string {
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
    viewBox: `0 0 ${WIDTH} ${height}`,
    width: WIDTH,
    height,
    role: 'img',
    'aria-label': `${heading.title}. ${heading.note}`,
    'font-family': "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Arial, sans-serif",
    'font-size': TEXT.size,
    fill: COLOURS.grey,
  };
  return `${element('svg', attributes, ...lines, ...children)}\n`;
}

/** A name or another text of several lines: `y` is the middle of the first to the middle of the last. */
export function block(
  lines: readonly string[],
  x: number,
  middle: number,
  attributes: Readonly<Record<string, string | number>> = {},
): string[] {
  const first = middle + 5 - ((lines.length - 1) * LINE_HEIGHT) / 2;
  return lines.map((text, at) => label(text, { x, y: first + at * LINE_HEIGHT, ...attributes }));
}
