import { styleText } from 'node:util';
import { type Lane, type State, wordFor } from './lanes.ts';
import { seconds } from './log.ts';

const LABEL = 15;
const COLUMNS = 36;
const NOTE = 24;
/** Milliseconds per column: the first value with which the whole act fits. */
const SCALES = [25, 50, 75, 100, 125, 150, 200, 300, 500];
/** Milliseconds between two labels of the axis: the first value that keeps them apart. */
const STEPS = [250, 500, 1_000, 2_000, 5_000];

const GLYPH: Readonly<Record<State, string>> = {
  token: '~',
  asked: '=',
  backoff: '·',
  sent: '>',
  ended: ' ',
};

const LEGEND = '2 4 5 status   x reset   · backoff, jitter   = Retry-After   ~ token   > sent';

function stateAt(lane: Lane, atMs: number): State | undefined {
  return lane.states.findLast((change) => change.atMs <= atMs)?.state;
}

function cell(lane: Lane, fromMs: number, untilMs: number): string {
  const mark = lane.outcomes.findLast(({ atMs }) => atMs >= fromMs && atMs < untilMs);
  if (mark === undefined) return styleText('dim', GLYPH[stateAt(lane, untilMs) ?? 'ended']);
  const { outcome } = mark;
  if (outcome.type === 'failure') return styleText('red', 'x');
  const color = outcome.status < 400 ? 'green' : outcome.status === 429 ? 'yellow' : 'red';
  return styleText(color, String(outcome.status).slice(0, 1));
}

function note(lane: Lane, startMs: number, nowMs: number): string {
  const last = lane.outcomes.at(-1);
  const word = last === undefined ? '' : wordFor(last.outcome);
  if (lane.end === 'success')
    return `${word} at ${seconds((last?.atMs ?? nowMs) - startMs)}, attempt ${lane.attempts}`;
  if (lane.end !== undefined) return `${word}: ${lane.end}`;
  const state = stateAt(lane, nowMs);
  if (state === 'sent') return `attempt ${lane.attempts} running`;
  if (state === 'token') return 'waiting for a token';
  return `${word}: retry in ${(((lane.states.at(-1)?.atMs ?? nowMs) - nowMs) / 1_000).toFixed(1)} s`;
}

function paintNote(lane: Lane, text: string): string {
  const cut = text.slice(0, NOTE);
  if (lane.end === undefined) return cut;
  return styleText(lane.end === 'success' ? 'green' : 'red', cut);
}

function axis(scaleMs: number): string {
  const stepMs = STEPS.find((step) => step >= 8 * scaleMs) ?? 10_000;
  const marks = Array.from({ length: COLUMNS }, () => ' ');
  for (let atMs = 0; atMs < COLUMNS * scaleMs; atMs += stepMs) {
    const column = Math.round(atMs / scaleMs);
    const text = `|${atMs / 1_000} s`;
    if (column + text.length <= COLUMNS) marks.splice(column, text.length, ...text);
  }
  return marks.join('').trimEnd();
}

/** One line per lane, then the axis and the legend. At most 79 columns wide. */
export function draw(lanes: readonly Lane[], startMs: number, nowMs: number): string[] {
  const latestMs = Math.max(...lanes.map((lane) => (lane.end ? (lane.states.at(-1)?.atMs ?? nowMs) : nowMs)));
  const scaleMs = SCALES.find((scale) => latestMs - startMs < scale * COLUMNS) ?? 2_000;
  const lines = lanes.map((lane) => {
    const cells = Array.from({ length: COLUMNS }, (_, column) => {
      const fromMs = startMs + column * scaleMs;
      return fromMs > nowMs ? ' ' : cell(lane, fromMs, Math.min(fromMs + scaleMs, nowMs));
    });
    return `  ${lane.label.padEnd(LABEL)} ${cells.join('')} ${paintNote(lane, note(lane, startMs, nowMs))}`;
  });
  const below = [`${' '.repeat(LABEL)} ${axis(scaleMs)}`, LEGEND];
  return [...lines, ...below.map((line) => styleText('dim', `  ${line}`))];
}
