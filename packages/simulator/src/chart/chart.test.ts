import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { barChart } from './bar-chart.ts';
import { spread, wrap } from './labels.ts';
import { lineChart } from './line-chart.ts';
import { linearScale, numeral, roundUp } from './scale.ts';
import { element, label } from './svg.ts';

describe('a scale', () => {
  test('begins at zero and has few round ticks', () => {
    expect(linearScale(8_004, 0, 1).ticks).toEqual([0, 2_000, 4_000, 6_000, 8_000]);
    expect(linearScale(190, 0, 1, 50).ticks).toEqual([0, 50, 100, 150]);
    expect(linearScale(0.3, 0, 1).ticks).toEqual([0, 0.1, 0.2, 0.3]);
  });

  test('goes up to a round number', () => {
    expect([8_004, 10_000, 0.31, 0, 99].map((value) => roundUp(value))).toEqual([
      10_000, 10_000, 0.4, 1, 100,
    ]);
  });

  test('writes numbers as English does', () => {
    expect([1_234_567, 0.5, 1_000.25, 0.1 + 0.2].map(numeral)).toEqual([
      '1,234,567',
      '0.5',
      '1,000.25',
      '0.3',
    ]);
  });
});

describe('labels', () => {
  test('do not lie on each other, keep their order, and stay in the figure', () => {
    const wishes = fc.array(fc.double({ min: 0, max: 300, noNaN: true }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(wishes, (wished) => {
        const places = spread(wished, 18, 0, 300);
        const order = wished.map((_, at) => at).sort((a, b) => (wished[a] ?? 0) - (wished[b] ?? 0) || a - b);
        for (const [rank, at] of order.entries()) {
          expect(places[at]).toBeGreaterThanOrEqual(-1e-6);
          expect(places[at]).toBeLessThanOrEqual(300 + 1e-6);
          const before = order[rank - 1];
          if (before !== undefined) {
            expect((places[at] ?? 0) - (places[before] ?? 0)).toBeGreaterThanOrEqual(18 - 1e-6);
          }
        }
      }),
    );
  });

  test('stand where they wish to when there is room', () => {
    expect(spread([100, 20, 60], 18, 0, 300)).toEqual([100, 20, 60]);
  });

  test('of long texts are broken between words', () => {
    const lines = wrap('one two three four five six seven', 10, 60);
    expect(lines.join(' ')).toBe('one two three four five six seven');
    expect(lines.length).toBeGreaterThan(2);
  });
});

describe('SVG', () => {
  test('rounds numbers, leaves out what is undefined, and escapes', () => {
    expect(element('line', { x1: 1.23456, y1: -0, stroke: undefined, name: 'a "b"' })).toBe(
      '<line x1="1.2" y1="0" name="a &quot;b&quot;"/>',
    );
    expect(label('R & D < 5', { x: 1 })).toBe('<text x="1">R &amp; D &lt; 5</text>');
  });

  const heading = { title: 'A finding', note: 'What was done.' };

  test('of a line chart says what it shows, labels every line, and has no background', () => {
    const svg = lineChart({
      ...heading,
      x: 'Seconds',
      y: 'Requests',
      lines: [
        {
          name: 'One',
          colour: 'blue',
          points: [
            [0, 0],
            [10, 100],
          ],
        },
        {
          name: 'Two',
          colour: 'red',
          points: [
            [0, 5],
            [10, 99],
          ],
          steps: true,
          dashed: true,
        },
      ],
      bands: [{ name: 'trouble', from: 2, to: 4 }],
    });
    expect(svg).toContain('role="img" aria-label="A finding. What was done."');
    for (const name of ['One', 'Two'])
      expect(svg).toMatch(new RegExp(`aria-label="${name}"[\\s\\S]*>${name}</text>`));
    expect(svg).toContain('>trouble</text>');
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
    expect(svg).not.toMatch(/\b(x|y|x1|x2|y1|y2|width|height|d)="[^"]*\.\d\d/);
    // A step goes to the right before it goes up.
    expect(svg).toMatch(/d="M[\d.]+ ([\d.]+)L[\d.]+ \1L/);
  });

  test('of a bar chart says every row', () => {
    const svg = barChart({
      ...heading,
      columns: ['Sends', 'Seconds'],
      rows: [
        {
          name: 'At once',
          bars: [
            { parts: [{ value: 5, colour: 'blue' }], text: '5' },
            { parts: [], text: 'never' },
          ],
        },
      ],
    });
    expect(svg).toContain('aria-label="At once. Sends: 5, Seconds: never"');
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });
});
