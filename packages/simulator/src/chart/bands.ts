import { block, LINE_HEIGHT, TEXT } from './frame.ts';
import type { Scale } from './scale.ts';
import { element } from './svg.ts';
import { widthOf, wrap } from './text-width.ts';

/** A shaded stretch of the x axis, with a name. */
export interface Band {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

interface BandName {
  readonly lines: readonly string[];
  readonly middle: number;
  readonly half: number;
  /** How many lines of text are above it. */
  readonly row: number;
}

const APART = 12;

/**
 * The places of the names. A name is centred in its band if there is room, and it is below earlier names that it would
 * touch.
 */
function namesOf(bands: readonly Band[], x: Scale, left: number, right: number): BandName[] {
  const names: BandName[] = [];
  for (const { name, from, to } of bands) {
    const lines = wrap(name, TEXT, right - left);
    const half = Math.max(...lines.map((line) => widthOf(line, TEXT))) / 2;
    const middle = Math.max(left + half, Math.min((x(from) + x(to)) / 2, right - half));
    const beside = names.filter((other) => Math.abs(middle - other.middle) < half + other.half + APART);
    const row = Math.max(0, ...beside.map((other) => other.row + other.lines.length));
    names.push({ lines, middle, half, row });
  }
  return names;
}

/** The bands of a plot, with their names at the top. */
export function drawnBands(
  bands: readonly Band[],
  x: Scale,
  { left, right, top, bottom }: Readonly<Record<'left' | 'right' | 'top' | 'bottom', number>>,
): string[] {
  const shades = bands.map(({ from, to }) =>
    element('rect', {
      x: x(from),
      y: top,
      width: x(to) - x(from),
      height: bottom - top,
      'fill-opacity': '0.12',
    }),
  );
  const names = namesOf(bands, x, left, right).flatMap(({ lines, middle, row }) => {
    const height = top + 11 + (row + (lines.length - 1) / 2) * LINE_HEIGHT;
    return block(lines, middle, height, { 'text-anchor': 'middle' });
  });
  return [...shades, ...names];
}
