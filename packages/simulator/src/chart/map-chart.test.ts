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

test('a cell that is filled stands out without its colour: by its fill, its weight, and in the description', () => {
  const svg = mapChart(chart);
  expect(svg.match(/<rect [^>]*fill="none"/g)).toHaveLength(9);
  expect(svg.match(/<rect [^>]*fill="#/g)).toHaveLength(3);
  expect(svg.match(/font-weight="600">3</g)).toHaveLength(3);
  expect(svg).toContain('aria-label="one. Queue 1 s: filled at no Load. Queue 2 s: filled at .9 Load"');
});

test('panels stand two side by side, and the figure is as high as they need', () => {
  const heightOf = (panels: number): number =>
    Number(/height="([\d.]+)"/.exec(mapChart({ ...chart, panels: chart.panels.slice(0, panels) }))?.[1]);
  expect(heightOf(2)).toBe(heightOf(1));
  expect(heightOf(3)).toBeGreaterThan(heightOf(2));
});
