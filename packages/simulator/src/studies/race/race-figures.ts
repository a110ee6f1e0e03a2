import { finding } from '../../chart/frame.ts';
import { type Line, lineChart } from '../../chart/line-chart.ts';
import type { Colour } from '../../chart/palette.ts';
import { numeral } from '../../chart/scale.ts';
import type { ComparisonPoint } from '../../race/comparison.ts';

const RULE_COLOURS: Readonly<Record<string, Colour>> = {
  None: 'grey',
  Exponential: 'red',
  'Equal jitter': 'orange',
  'Full jitter': 'blue',
  Decorrelated: 'green',
  Memorystore: 'purple',
  Celery: 'teal',
  Ethernet: 'brown',
};

/** The contents of the figures of a race. */
export interface RaceFigure {
  readonly points: readonly ComparisonPoint[];
  /** The settings of the race, as a sentence. */
  readonly settings: string;
}

const RACE =
  'Clients race to write one row; after a conflict they wait and read it again. 100 runs per point.';

function most(points: readonly ComparisonPoint[], rule: string): ComparisonPoint {
  const point = points.filter((other) => other.rule === rule).at(-1);
  if (point === undefined) throw new Error(`There is no point for ${rule}`);
  return point;
}

function callsChart({ points, settings }: RaceFigure, title: string): string {
  return lineChart({
    title,
    note: `${RACE} ${settings}`,
    x: 'Competing clients',
    y: 'Calls',
    lines: ruleLines(points, ({ calls }) => calls.mean),
  });
}

function timeChart({ points, settings }: RaceFigure, title: string): string {
  return lineChart({
    title,
    note: `${RACE} ${settings}`,
    x: 'Competing clients',
    y: 'Seconds until all clients are done',
    lines: ruleLines(points, ({ completionMs }) => completionMs.mean / 1_000),
  });
}

function ruleLines(points: readonly ComparisonPoint[], value: (point: ComparisonPoint) => number): Line[] {
  const rules = [...new Set(points.map(({ rule }) => rule))];
  return rules.map((rule) => ({
    name: rule,
    colour: RULE_COLOURS[rule] ?? 'grey',
    points: points
      .filter((point) => point.rule === rule)
      .map((point) => [point.clients, value(point)] as const),
  }));
}

/** How many calls all clients make until they are done. */
export function callsFigure(race: RaceFigure): string {
  const [none, full] = ['None', 'Full jitter'].map((rule) => most(race.points, rule).calls.mean) as [
    number,
    number,
  ];
  const title = finding(
    full < none / 4,
    `Full jitter needs ${numeral(Math.round(full))} calls; without backoff it takes ${numeral(Math.round(none))}`,
    'How many calls five backoff rules need',
  );
  return callsChart(race, title);
}

/** How long it takes until all clients are done, with jitter and without backoff. */
export function completionFigure({ points, settings }: RaceFigure): string {
  const seconds = (rule: string): number => most(points, rule).completionMs.mean / 1_000;
  const [equal, decorrelated, full] = ['Equal jitter', 'Decorrelated', 'Full jitter'].map(seconds) as [
    number,
    number,
    number,
  ];
  const title = finding(
    equal > 1.1 * decorrelated && decorrelated > full,
    `Equal jitter takes longest, ${equal.toFixed(1)}\u00a0s; decorrelated jitter takes ${decorrelated.toFixed(1)}\u00a0s, full jitter ${full.toFixed(1)}\u00a0s`,
    'How long each jitter takes, and no backoff',
  );
  const shown = points.filter(({ rule }) => rule !== 'Exponential');
  return timeChart({ points: shown, settings }, title);
}

/** How long exponential backoff takes without jitter and with full jitter. */
export function exponentialFigure({ points, settings }: RaceFigure): string {
  const seconds = (rule: string): number => Math.round(most(points, rule).completionMs.mean / 1_000);
  const [without, full] = [seconds('Exponential'), seconds('Full jitter')];
  const title = finding(
    without > 10 * full,
    `Exponential backoff without jitter takes ${without}\u00a0s; with full jitter, ${full}\u00a0s`,
    'How long exponential backoff takes, without jitter and with it',
  );
  const shown = points.filter(({ rule }) => ['Exponential', 'Full jitter'].includes(rule));
  return timeChart({ points: shown, settings }, title);
}

/** The calls of the rules that are not in the published comparison. */
export function otherCallsFigure(race: RaceFigure): string {
  const calls = (rule: string): number => most(race.points, rule).calls.mean;
  const near = (rule: string): boolean => Math.abs(calls(rule) / calls('Full jitter') - 1) < 0.1;
  const title = finding(
    near('Celery') && near('Ethernet'),
    'The rules of Celery and Ethernet need as many calls as full jitter',
    'How many calls the rules of Memorystore, Celery and Ethernet need',
  );
  return callsChart(race, title);
}

/** The time of the rules that are not in the published comparison. */
export function otherCompletionFigure(race: RaceFigure): string {
  const seconds = (rule: string): number => most(race.points, rule).completionMs.mean / 1_000;
  const [small, full] = [seconds('Memorystore'), seconds('Full jitter')];
  const title = finding(
    small > 1.2 * full,
    `Jitter that does not grow with the waits helps little: ${small.toFixed(0)}\u00a0s, against ${full.toFixed(0)}\u00a0s with full jitter`,
    'How long the rules of Memorystore, Celery and Ethernet take',
  );
  return timeChart(race, title);
}
