import { BURST_AT_MS, LOOK_MS, type Passage, type Stream, WATCHED_MS } from './bucket.ts';
import { count, duration } from './format.ts';
import type { Settings } from './settings.ts';
import { cursor, figure, label, level, levels, linear, svg, ticks } from './svg.ts';
import { drawTime, LEFT, RIGHT, timeScale } from './time-chart.ts';

/** The width of a bar. */
const BIN_MS = 200;
const BINS = WATCHED_MS / BIN_MS;

const FATES = [
  ['conforming', 'accent', 'sent'],
  ['delayed', 'good', 'sent after a wait'],
  ['marked', 'warn', 'sent with a mark'],
  ['refused', 'bad', 'refused'],
] as const;

function of(passages: readonly Passage[], fate: Passage['fate']): Passage[] {
  return passages.filter((passage) => passage.fate === fate);
}

/** The finding in a sentence. */
export function bucketFinding({ passages, waiting }: Stream, { nonConforming }: Settings): string {
  const share = (fate: Passage['fate']): number => of(passages, fate).length;
  const all = count(passages.length);
  if (share('conforming') === passages.length) return `All ${all} requests find a token`;
  if (nonConforming === 'reject') return `${count(share('refused'))} of ${all} requests are refused`;
  if (nonConforming === 'mark') return `${count(share('marked'))} of ${all} requests are sent with a mark`;
  const waits = of(passages, 'delayed').map(({ arrivedAtMs, sentAtMs = 0 }) => sentAtMs - arrivedAtMs);
  const longest = duration(Math.max(0, ...waits));
  const left = share('waiting');
  const end = left === 0 ? 'and all are sent' : `and ${count(left)} still wait at the end`;
  return `Up to ${count(Math.max(...waiting))} requests wait, at most ${longest}, ${end}`;
}

interface Bin {
  arrived: number;
  readonly went: Record<(typeof FATES)[number][0], number>;
}

function binsOf(passages: readonly Passage[]): Bin[] {
  const bins: Bin[] = Array.from({ length: BINS }, () => ({
    arrived: 0,
    went: { conforming: 0, delayed: 0, marked: 0, refused: 0 },
  }));
  const bin = (atMs: number): Bin | undefined => bins[Math.min(BINS - 1, Math.floor(atMs / BIN_MS + 1e-6))];
  for (const { arrivedAtMs, sentAtMs = arrivedAtMs, fate } of passages) {
    const came = bin(arrivedAtMs);
    if (came !== undefined) came.arrived += 1;
    const went = fate === 'waiting' ? undefined : bin(sentAtMs);
    if (went !== undefined && fate !== 'waiting') went.went[fate] += 1;
  }
  return bins;
}

function bars(bins: readonly Bin[], x: (ms: number) => number, y: (count: number) => number): Node[] {
  return bins.flatMap(({ went }, at) => {
    let floor = 0;
    return FATES.map(([fate, colour]) => {
      const from = y(floor);
      floor += went[fate];
      const height = from - y(floor);
      const left = x(at * BIN_MS);
      const width = Math.max(1, x((at + 1) * BIN_MS) - left - 1.5);
      return height <= 0
        ? undefined
        : svg('rect', { x: left, y: y(floor), width, height, class: `bar ${colour}` });
    }).filter((rect) => rect !== undefined);
  });
}

function keyOf(fates: readonly (typeof FATES)[number][]): Node[] {
  let atX = 0;
  return fates.flatMap(([, colour, name]) => {
    const x = atX;
    atX += 26 + name.length * 6.8;
    const square = svg('rect', { x, y: 20, width: 10, height: 10, rx: 2, class: `bar ${colour}` });
    return [square, label(name, x + 14, 29)];
  });
}

/** Arrivals as a line, and what happens to the requests as bars. */
function drawStream(plot: HTMLElement, { passages }: Stream, settings: Settings): void {
  const { clientWidth: width, clientHeight: height } = plot;
  const bins = binsOf(passages);
  const perSecond = 1_000 / BIN_MS;
  const went = (bin: Bin): number => Object.values(bin.went).reduce((sum, number) => sum + number, 0);
  const most = Math.max(...bins.map((bin) => Math.max(bin.arrived, went(bin))));
  const marks = ticks(most * perSecond, 4, true);
  const [top, bottom] = [48, height - 8];
  const span = [LEFT, width - RIGHT] as const;
  const x = timeScale(width, WATCHED_MS);
  const y = linear(0, marks.at(-1) ?? 1, bottom, top);
  const outline = bins.map(({ arrived }, at) => {
    const left = `${x(at * BIN_MS)} ${y(arrived * perSecond)}`;
    return `${at === 0 ? 'M' : 'L'}${left}H${x((at + 1) * BIN_MS)}`;
  });
  const highest = bins.reduce(
    (best, { arrived }, at) => (arrived > (bins[best]?.arrived ?? 0) ? at : best),
    0,
  );
  const seen = FATES.filter(([fate]) => passages.some((passage) => passage.fate === fate));
  const names = seen.map(([fate, , name]) => `${of(passages, fate).length} ${name}`);
  const rate = settings.refillPerSecond;
  figure(
    plot,
    `Requests per second over ${duration(WATCHED_MS)}: ${passages.length} arrive, ${names.join(', ')}.`,
    label('Requests per second', 0, 12),
    ...keyOf(seen),
    ...levels(marks, y, span, count),
    ...bars(bins, x, (number) => y(number * perSecond)),
    svg('path', { d: outline.join(''), class: 'outline' }),
    ...(rate <= (marks.at(-1) ?? 0) ? level(`rate: ${count(rate)}/s`, y(rate), span) : []),
    label('arrivals', x((highest + 1) * BIN_MS) + 6, y((bins[highest]?.arrived ?? 0) * perSecond) + 10, {
      colour: 'muted',
    }),
    cursor(top, bottom, width),
  );
}

export function drawBucket(
  plots: { stream: HTMLElement; tokens: HTMLElement },
  stream: Stream,
  settings: Settings,
): void {
  drawStream(plots.stream, stream, settings);
  const queued = stream.waiting.some((waiting) => waiting > 0);
  const emptied = stream.tokens.filter((tokens) => tokens < 1).length * LOOK_MS;
  const most = stream.waiting.indexOf(Math.max(...stream.waiting));
  // Late, after most bursts.
  const labelAt = Math.round((0.85 * WATCHED_MS) / LOOK_MS);
  const below = (stream.tokens[labelAt] ?? 0) > settings.capacity / 2;
  drawTime(plots.tokens, {
    title: queued ? 'Tokens in the bucket, and waiting requests' : 'Tokens in the bucket',
    finding: `The bucket holds at most ${count(settings.capacity)} tokens, and less than one for ${duration(emptied)} of ${duration(WATCHED_MS)}. The burst is at ${duration(BURST_AT_MS)}.`,
    stepMs: LOOK_MS,
    mostMs: WATCHED_MS,
    most: settings.capacity,
    lines: [
      { name: 'tokens', colour: 'accent', values: stream.tokens, labelAt, below, filled: true },
      ...(queued
        ? [{ name: 'waiting', colour: 'good', values: stream.waiting, labelAt: most } as const]
        : []),
    ],
  });
}
