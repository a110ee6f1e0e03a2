import { expect, test } from 'vitest';
import { type MapChart, mapChart } from './map-chart.ts';

const chart: MapChart = {
  title: 'A title',
  note: 'A note.',
  x: 'Load',
  y: 'Queue',
  columns: ['.5', '.9'],
  rows: ['1 s', '2 s'],
  panels: ['one', 'two', 'three'].map((name) => ({
    name,
    cells: [
      [
        { text: '100', filled: false },
        { text: '99', filled: false },
      ],
      [
        { text: '98', filled: false },
        { text: '3', filled: true },
      ],
    ],
  })),
};

test('a panel that stands alone is as wide as two', () => {
  const widthOf = (panels: number): number =>
    Math.max(
      ...[
        ...mapChart({ ...chart, panels: chart.panels.slice(0, panels) }).matchAll(
          /<rect [^>]* width="([\d.]+)"/g,
        ),
      ].map(([, width]) => Number(width)),
    );
  expect(widthOf(1)).toBeGreaterThan(2 * widthOf(2));
});

test('parts of the columns have names of their own', () => {
  const svg = mapChart({ ...chart, x: ['Day', 'Night'] });
  const [day, night, first, last] = ['Day', 'Night', '.5', '.9'].map((name) =>
    Number(new RegExp(`<text x="([\\d.]+)"[^>]*>${name}<`).exec(svg)?.[1]),
  );
  // Each stands below the middle of its part, here of one column.
  expect([day, night]).toEqual([first, last]);
  expect(svg).toContain('aria-label="one. Queue 1 s. Day .5: 100; Night .9: 99. Queue 2 s.');
});

test('long names of rows stand in two lines of a wide room', () => {
  const rows = ['a quarter of the connections dead', '2 s'];
  const svg = mapChart({ ...chart, rows, rowsWidth: 146, panels: chart.panels.slice(0, 1) });
  const found = [...svg.matchAll(/<text x="154" y="([\d.]+)"[^>]*font-size="13"[^>]*>([^<]*)</g)];
  expect(found.map(([, , text]) => text)).toEqual(['a quarter of the', 'connections dead', '2 s']);
  const [one = 0, two = 0] = found.map(([, y]) => Number(y));
  expect(two - one).toBe(16);
});
