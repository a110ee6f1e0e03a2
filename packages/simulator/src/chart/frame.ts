import { wrap } from './labels.ts';
import { COLOURS } from './palette.ts';
import { element, label } from './svg.ts';

export const WIDTH = 760;
const TITLE_SIZE = 19;
const NOTE_SIZE = 13;
export const TEXT_SIZE = 14;
const MARGIN = 16;

/** What stands above every figure. */
export interface Heading {
  /** What the figure shows, as a sentence. */
  readonly title: string;
  /** What was done, in a line or two. */
  readonly note: string;
}

/** How much of the height the heading takes. */
export function headingHeight({ title, note }: Heading): number {
  const titles = wrap(title, TITLE_SIZE, WIDTH - 2 * MARGIN).length;
  const notes = wrap(note, NOTE_SIZE, WIDTH - 2 * MARGIN).length;
  return MARGIN + titles * 24 + notes * 18 + 14;
}

/**
 * A whole figure: the heading, and what stands below it. There is no background, and every colour is readable
 * on a light page and on a dark one.
 */
export function figure(heading: Heading, height: number, ...children: readonly string[]): string {
  const { title, note } = heading;
  const titles = wrap(title, TITLE_SIZE, WIDTH - 2 * MARGIN);
  const notes = wrap(note, NOTE_SIZE, WIDTH - 2 * MARGIN);
  const lines = [
    ...titles.map((text, at) =>
      label(text, { x: MARGIN, y: MARGIN + 14 + at * 24, 'font-size': TITLE_SIZE, 'font-weight': 600 }),
    ),
    ...notes.map((text, at) =>
      label(text, { x: MARGIN, y: MARGIN + 12 + titles.length * 24 + at * 18, 'font-size': NOTE_SIZE }),
    ),
  ];
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${WIDTH} ${height}`,
    width: WIDTH,
    height,
    role: 'img',
    'aria-label': `${title}. ${note}`,
    'font-family': "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Arial, sans-serif",
    'font-size': TEXT_SIZE,
    fill: COLOURS.grey,
  };
  return `${element('svg', attributes, ...lines, ...children)}\n`;
}
