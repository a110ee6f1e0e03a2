import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { spread } from './labels.ts';
import { lineChart } from './line-chart.ts';
import { element, label } from './svg.ts';
import { widthOf, wrap } from './text-width.ts';
import { turnsOf } from './turns.ts';

describe('labels', () => {
  test('do not overlap, keep their order, and stay in their stretch', () => {
    const wishes = fc.array(
      fc.tuple(fc.double({ min: -50, max: 350, noNaN: true }), fc.integer({ min: 1, max: 3 })),
      {
        minLength: 1,
        maxLength: 5,
      },
    );
    fc.assert(
      fc.property(wishes, (labels) => {
        const [wished, heights] = [labels.map(([wish]) => wish), labels.map(([, lines]) => 18 * lines)];
        const places = spread(wished, heights, 0, 300);
        const order = wished.map((_, at) => at).sort((a, b) => (wished[a] ?? 0) - (wished[b] ?? 0) || a - b);
        let above = 0;
        for (const at of order) {
          const [place, half] = [places[at] ?? 0, (heights[at] ?? 0) / 2];
          expect(place - half).toBeGreaterThanOrEqual(above - 1e-6);
          above = place + half;
        }
        expect(above).toBeLessThanOrEqual(300 + 1e-6);
      }),
    );
  });

  test('with long texts are broken between words, and within long words', () => {
    const lines = wrap('one two three four five six seven', { size: 10 }, 60);
    expect(lines.join(' ')).toBe('one two three four five six seven');
    expect(lines.length).toBeGreaterThan(2);
    expect(wrap('WWWWWWWW', { size: 10 }, 30)).toEqual(['WWW', 'WWW', 'WW']);
    expect(wrap('', { size: 10 }, 30)).toEqual(['']);
  });

  test('accents have no width, and unknown characters that of the widest', () => {
    expect(widthOf('é', { size: 16 })).toBe(widthOf('e', { size: 16 }));
    expect(widthOf('i', { size: 16, bold: true })).toBeGreaterThan(widthOf('i', { size: 16 }));
    expect(widthOf('界🙂', { size: 10 })).toBe(28);
  });
});

describe('lines that coincide', () => {
  const flat = [
    [0, 100],
    [80, 100],
  ] as const;

  /** The stretches of x in which a curve is drawn again. */
  const stretches = (pieces: readonly (readonly (readonly [number, number])[])[]) =>
    pieces.map((piece) => [piece[0]?.[0], piece.at(-1)?.[0]]);

  test('are on top in turns; the last, which is on top already, is drawn once', () => {
    const [first = [], second = [], third = []] = turnsOf([flat, flat, flat], 0, 80);
    expect(stretches(first)).toEqual([
      [0, 10],
      [30, 40],
      [60, 70],
    ]);
    expect(stretches(second)).toEqual([
      [10, 20],
      [40, 50],
      [70, 80],
    ]);
    expect(third).toEqual([]);
  });

  test('are drawn in turns only while they coincide', () => {
    const rises = [
      [0, 100],
      [40, 100],
      [80, 20],
    ] as const;
    const [first = []] = turnsOf([rises, flat], 0, 80);
    expect(stretches(first)).toEqual([
      [0, 10],
      [20, 30],
    ]);
    expect(turnsOf([rises, flat.map(([x]) => [x, 50] as const)], 0, 30)).toEqual([[], []]);
  });

  test('are found on steep stretches also, where they differ more in height than across', () => {
    const steep = (from: number) =>
      [
        [from, 0],
        [from + 16, 300],
      ] as const;
    const [first = []] = turnsOf([steep(0), steep(0.5)], 0, 17);
    expect(stretches(first)).toEqual([]);
    const [longer = []] = turnsOf([steep(0), steep(0.5)], 0.5, 16.5);
    expect(stretches(longer)).toEqual([[0.5, 10.5]]);
  });
});

test('the band of a range is cut where the axis ends', () => {
  const points = [0, 10].map((x) => [x, 50] as const);
  const range = [60, 200].map((high, at) => [40 + 10 * at, high] as const);
  const svg = lineChart({
    ...{ title: 'A finding', note: 'How.', x: 'Seconds', y: 'Requests', most: 100 },
    lines: [{ name: 'One', colour: 'blue', points, range }],
  });
  const band = /<path d="M([^"]*)Z" fill="#\w+" fill-opacity/.exec(svg)?.[1] ?? '';
  // Along the highest values, and back along the lowest.
  const [high = 0, top = 0, end = 0, low = 0] = band.split('L').map((place) => Number(place.split(' ')[1]));
  expect((low - high) / (low - top)).toBeCloseTo(20 / 60, 2);
  expect((end - top) / (low - top)).toBeCloseTo(50 / 60, 2);
});

describe('SVG', () => {
  test('rounds numbers, leaves out undefined attributes, and escapes texts', () => {
    expect(element('line', { x1: 1.23456, y1: -0, stroke: undefined, name: 'a "b"' })).toBe(
      '<line x1="1.2" y1="0" name="a &quot;b&quot;"/>',
    );
    expect(label('R & D < 5', { x: 1 })).toBe('<text x="1">R &amp; D &lt; 5</text>');
  });
});
