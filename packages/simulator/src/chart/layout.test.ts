import { describe, expect, test } from 'vitest';
import { barChart } from './bar-chart.ts';
import { lineChart } from './line-chart.ts';
import { COLOURS, type Colour } from './palette.ts';
import { widthOf } from './text-width.ts';

interface Box {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

/** The box of each text, set in DejaVu Sans: 0.93 of its size above the baseline, 0.24 below it. */
function boxesOf(svg: string): Box[] {
  return [...svg.matchAll(/<text ([^>]*)>([^<]*)<\/text>/g)].map(([, attributes = '', inside = '']) => {
    const given = (name: string): string | undefined => new RegExp(`${name}="([^"]*)"`).exec(attributes)?.[1];
    const [text, size, x, y] = [
      unescaped(inside),
      ...[given('font-size') ?? 14, given('\\bx'), given('\\by')].map(Number),
    ] as [string, number, number, number];
    const width = widthOf(text, { size, bold: given('font-weight') === '600' });
    const anchor = given('text-anchor');
    const left = x - (anchor === 'middle' ? width / 2 : anchor === 'end' ? width : 0);
    return { text, left, right: left + width, top: y - 0.93 * size, bottom: y + 0.24 * size };
  });
}

/** The texts that are cut or overlap. A correct figure has none. */
function faultsOf(svg: string): string[] {
  const [, width, height] = (/viewBox="0 0 (\S+) (\S+)"/.exec(svg) ?? []).map(Number) as [
    number,
    number,
    number,
  ];
  const boxes = boxesOf(svg);
  const cut = boxes.filter(
    ({ left, right, top, bottom }) => left < 0 || right > width + 0.1 || top < 0 || bottom > height,
  );
  const crossed = boxes.flatMap((one, at) =>
    boxes
      .slice(at + 1)
      .filter(
        (other) =>
          one.left < other.right &&
          other.left < one.right &&
          one.top < other.bottom &&
          other.top < one.bottom,
      )
      .map((other) => `${one.text} and ${other.text} overlap`),
  );
  return [...cut.map(({ text }) => `${text} is cut`), ...crossed];
}

const SHORT = (at: number): string => `policy ${at}`;
const LONG = (at: number): string =>
  `Policy ${at}: exponential backoff with full jitter, and a bucket for each origin`;
const WORD = (at: number): string => `${at}${'W'.repeat(120)}`;

function linesOf(count: number, nameOf: (at: number) => string) {
  const colours = Object.keys(COLOURS) as Colour[];
  return Array.from({ length: count }, (_, at) => ({
    name: nameOf(at),
    colour: colours[at % colours.length] as Colour,
    points: [
      [0, 0],
      [130, (at % 3) * 40],
    ] as const,
  }));
}

const heading = {
  title: 'A finding that takes a line and a half of the figure, if not all of two lines',
  note: 'How.',
};

describe('any number of lines, with names of any length', () => {
  const namings = [
    ['short', SHORT],
    ['long', LONG],
    ['one-word', WORD],
  ] as const;

  test.each(namings)('1 to 40 lines with %s names: no text is cut or overlaps another', (_, nameOf) => {
    for (let count = 1; count <= 40; count += 1) {
      const lines = linesOf(count, nameOf);
      const svg = lineChart({ ...heading, x: 'Seconds', y: 'Requests answered, %', lines });
      expect(faultsOf(svg), `${count} lines`).toEqual([]);
      const texts = boxesOf(svg)
        .map(({ text }) => text)
        .join('')
        .replaceAll(' ', '');
      for (const { name } of lines) expect(texts).toContain(name.replaceAll(' ', ''));
    }
  });

  test.each(namings)('1 to 40 rows with %s names: no text is cut or overlaps another', (_, nameOf) => {
    const bar = { parts: [{ value: 5, colour: 'blue' }], text: '5,000 throttled' } as const;
    for (let count = 1; count <= 40; count += 1) {
      const rows = Array.from({ length: count }, (_, at) => ({ name: nameOf(at), bars: [bar, bar] }));
      const svg = barChart({ ...heading, columns: ['Sends', 'Seconds until it is back'], rows });
      expect(faultsOf(svg), `${count} rows`).toEqual([]);
    }
  });

  test('large numbers, long axis names and adjacent bands', () => {
    const svg = lineChart({
      ...heading,
      x: 'Seconds since the first of the requests that this figure counts went out '.repeat(3),
      y: 'Requests that were answered, as a share of the new requests in the same time '.repeat(3),
      lines: [
        {
          name: 'a',
          colour: 'blue',
          points: [
            [0, 0],
            [123_456_789_012, 987_654_321_098_765],
          ],
        },
      ],
      bands: [
        { name: 'half of the capacity', from: 0, to: 1e9 },
        { name: 'a quarter of the capacity', from: 1e9, to: 2e9 },
        { name: 'nothing', from: 120e9, to: 123e9 },
      ],
    });
    expect(faultsOf(svg)).toEqual([]);
  });

  test('a chart without room for its texts or without lines is rejected', () => {
    const bar = { parts: [{ value: 5, colour: 'blue' }], text: 'five thousand throttled' } as const;
    const columns = ['one', 'two', 'three', 'four'];
    const rows = [{ name: 'a row', bars: columns.map(() => bar) }];
    expect(() => barChart({ ...heading, columns, rows })).toThrow(
      new RangeError('columns must leave room for "one", got 4 columns in 760 pixels'),
    );
    expect(() => lineChart({ ...heading, x: '', y: '', lines: [] })).toThrow(
      new RangeError('lines must have at least one line, got none'),
    );
    expect(() =>
      lineChart({ ...heading, x: '', y: '', lines: [{ name: 'a', colour: 'blue', points: [] }] }),
    ).toThrow(new RangeError('the line a must have at least one point, got none'));
  });
});
