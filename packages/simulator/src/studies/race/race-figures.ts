import { finding } from '../../chart/finding.ts';
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

/** What is drawn of a race. */
export interface RaceFigure {
  readonly points: readonly ComparisonPoint[];
  /** Its settings, as a sentence. */
  readonly settings: string;
}

const RACE = 'Clients race to write one row; a conflict makes them wait and read again. 100 runs a point.';

function most(points: readonly ComparisonPoint[], rule: string): ComparisonPoint {
  const point = points.filter((other) => other.rule === rule).at(-1);
  if (point === undefined) throw new Error(`No point for ${rule}`);
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
    y: 'Seconds until all are through',
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

/** How many writes it takes until every client is through. */
export function callsFigure(race: RaceFigure): string {
  const [none, full] = ['None', 'Full jitter'].map((rule) => most(race.points, rule).calls.mean) as [
    number,
    number,
  ];
  const title = finding(
    full < none / 4,
    `Full jitter does with ${numeral(Math.round(full))} calls what takes ${numeral(Math.round(none))} without backoff`,
    'How many calls it takes, for five rules of backoff',
  );
  return callsChart(race, title);
}

/** How long it takes until every client is through, with jitter and without backoff. */
export function completionFigure({ points, settings }: RaceFigure): string {
  const seconds = (rule: string): number => most(points, rule).completionMs.mean / 1_000;
  const [equal, decorrelated, full] = ['Equal jitter', 'Decorrelated', 'Full jitter'].map(seconds) as [
    number,
    number,
    number,
  ];
  const title = finding(
    equal > 1.1 * decorrelated && decorrelated > full,
    `Of the jitters equal takes the longest, ${equal.toFixed(1)}\u00a0s; decorrelated takes ${decorrelated.toFixed(1)}, full ${full.toFixed(1)}`,
    'How long it takes with each jitter, and without backoff',
  );
  const shown = points.filter(({ rule }) => rule !== 'Exponential');
  return timeChart({ points: shown, settings }, title);
}

/** How long it takes with exponential backoff that has no jitter, beside one that has. */
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

/** The rules that the published comparison lacks, by calls. */
export function otherCallsFigure(race: RaceFigure): string {
  const calls = (rule: string): number => most(race.points, rule).calls.mean;
  const near = (rule: string): boolean => Math.abs(calls(rule) / calls('Full jitter') - 1) < 0.1;
  const title = finding(
    near('Celery') && near('Ethernet'),
    'Celery’s rule and Ethernet’s are full jitter, by their calls',
    'How many calls it takes with the rules of others',
  );
  return callsChart(race, title);
}

/** The rules that the published comparison lacks, by time. */
export function otherCompletionFigure(race: RaceFigure): string {
  const seconds = (rule: string): number => most(race.points, rule).completionMs.mean / 1_000;
  const [small, full] = [seconds('Memorystore'), seconds('Full jitter')];
  const title = finding(
    small > 1.2 * full,
    `Jitter that stays small while waits grow does little: ${small.toFixed(0)}\u00a0s, where full jitter takes ${full.toFixed(0)}`,
    'How long it takes with the rules of others',
  );
  return timeChart(race, title);
}
