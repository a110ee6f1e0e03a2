import { count } from './format.ts';
import { cursor, figure, label, level, levels, line, linear, type Map1, svg, ticks } from './svg.ts';

/** A line of a figure, with a label at one of its values. */
export interface Line {
  readonly name: string;
  readonly colour: 'ink' | 'accent' | 'good' | 'warn' | 'bad' | 'muted';
  readonly values: ArrayLike<number>;
  /** The index of the value with the label. */
  readonly labelAt: number;
  /** @default false */
  readonly below?: boolean;
  readonly filled?: boolean;
  /** A line of a run that was kept to compare. */
  readonly before?: boolean;
}

export interface TimeChart {
  readonly title: string;
  /** Describes the figure to screen readers. */
  readonly finding: string;
  readonly lines: readonly Line[];
  /** The time between two values. */
  readonly stepMs: number;
  readonly mostMs: number;
  /** The least end of the y axis. */
  readonly most?: number;
  readonly format?: (value: number) => string;
  /** A shaded time range. */
  readonly band?: { readonly fromMs: number; readonly untilMs: number; readonly name: string } | undefined;
  readonly level?: { readonly value: number; readonly name: string } | undefined;
  /** Whether the figure has times below it. */
  readonly times?: boolean;
}

export const LEFT = 44;
export const RIGHT = 10;
const TOP = 24;

/** Maps times to pixels. */
export function timeScale(width: number, mostMs: number): Map1 {
  return linear(0, mostMs, LEFT, width - RIGHT);
}

function bandOf(chart: TimeChart, x: Map1, bottom: number): Node[] {
  const { band } = chart;
  if (band === undefined) return [];
  const left = x(band.fromMs);
  const width = x(band.untilMs) - left;
  const rect = svg('rect', { x: left, y: TOP, width, height: bottom - TOP, class: 'band' });
  return band.name === '' ? [rect] : [rect, label(band.name, left + 5, TOP + 13, { colour: 'muted' })];
}

function drawLine(one: Line, chart: TimeChart, x: Map1, y: Map1, width: number): Node[] {
  const points = Array.from(one.values, (value, at) => [x(at * chart.stepMs), y(value)] as const);
  const path = line(points);
  const last = points.at(-1)?.[0] ?? 0;
  const [labelX = 0, labelY = 0] = points[Math.min(one.labelAt, points.length - 1)] ?? [];
  return [
    ...(one.filled
      ? [
          svg('path', {
            d: `${path}L${last} ${y(0)}L${points[0]?.[0] ?? 0} ${y(0)}Z`,
            class: `area ${one.colour}`,
          }),
        ]
      : []),
    svg('path', { d: path, class: `line ${one.colour}${one.before ? ' dashed before' : ''}` }),
    label(one.name, labelX, Math.max(TOP + 10, labelY + (one.below ? 15 : -7)), {
      anchor: 'middle',
      width,
      colour: one.colour,
    }),
  ];
}

/** Lines over time. */
export function drawTime(plot: HTMLElement, chart: TimeChart): void {
  const { clientWidth: width, clientHeight: height } = plot;
  const { lines, mostMs, format = count, times = true } = chart;
  const bottom = height - (times ? 22 : 8);
  const span = [LEFT, width - RIGHT] as const;
  const values = lines.flatMap((one) => Array.from(one.values));
  const least = Math.max(chart.most ?? 0, chart.level?.value ?? 0, 1e-9);
  const most = values.reduce((top, value) => Math.max(top, value), least);
  const marks = ticks(most, height > 180 ? 4 : 2, true);
  const x = timeScale(width, mostMs);
  const y = linear(0, marks.at(-1) ?? most, bottom, TOP + 6);
  const clock = ticks(mostMs / 1_000, width < 500 ? 5 : 9).map((second) =>
    label(`${count(second)} s`, x(second * 1_000), height - 5, { anchor: 'middle', width, colour: 'muted' }),
  );
  figure(
    plot,
    chart.finding,
    ...bandOf(chart, x, bottom),
    label(chart.title, 0, 12),
    ...levels(marks, y, span, format),
    ...(times ? clock : []),
    ...(chart.level === undefined ? [] : level(chart.level.name, y(chart.level.value), span)),
    ...lines.flatMap((one) => drawLine(one, chart, x, y, width)),
    cursor(TOP, bottom, width),
  );
}
