import { type Lane, type State, wordFor } from './lanes.ts';

const WIDTH = 360;
const LABEL = 84;
const TRACK = WIDTH - LABEL - 12;
const TOP = 6;
const ROW = 24;

/** Of a state: the height of its bar, and its class. Without colours the height tells them apart. */
const BARS: Readonly<Record<Exclude<State, 'ended'>, readonly [height: number, name: string]>> = {
  token: [5, 'token'],
  asked: [3, 'asked'],
  backoff: [1.5, 'backoff'],
  sent: [9, 'sent'],
};

/** Contrasts of at least 4.3 with white and with a dark page. */
const STYLE = `
text { font: 12px system-ui, sans-serif; fill: #737a81 }
.token { fill: #0c8691 } .asked { fill: #bf5e0a } .backoff { fill: #737a81 } .sent { fill: #1377e9 }
.good { fill: #148b46 } .bad { fill: #e23543 } .mark { fill: #fff; font-size: 10px; text-anchor: middle }
.bar { transform-box: fill-box; transform-origin: left; animation: grow linear both }
.seen { animation: appear 0.1s both }
@keyframes grow { from { transform: scaleX(0) } }
@keyframes appear { from { opacity: 0 } }
@media (prefers-reduced-motion: reduce) { .bar, .seen { animation: none } }`;

const seconds = (ms: number): string => `${Math.round(ms) / 1_000}s`;
const px = (value: number): string => String(Math.round(value * 10) / 10);

/**
 * A picture of an act that moves as fast as the act did, once; where less motion is preferred, it stands still. Each lane is a
 * request: its waits, its attempts, and the first digit of each status.
 */
export function pictureOf(lanes: readonly Lane[], startMs: number, title: string): string {
  const endMs = Math.max(...lanes.map(({ states }) => states.at(-1)?.atMs ?? startMs));
  const scale = TRACK / (endMs - startMs);
  const x = (atMs: number): number => LABEL + (atMs - startMs) * scale;
  const rows = lanes.map((lane, index) => {
    const y = TOP + ROW * index + ROW / 2;
    const bars = lane.states.flatMap(({ atMs, state }, at) => {
      const untilMs = lane.states[at + 1]?.atMs ?? atMs;
      if (state === 'ended' || untilMs <= atMs) return [];
      const [height, name] = BARS[state];
      const timing = `animation-delay:${seconds(atMs - startMs)};animation-duration:${seconds(untilMs - atMs)}`;
      const box = `x="${px(x(atMs))}" y="${px(y - height / 2)}" width="${px((untilMs - atMs) * scale)}" height="${height}"`;
      return [`<rect class="bar ${name}" ${box} style="${timing}"/>`];
    });
    const marks = lane.outcomes.map(({ atMs, outcome }) => {
      const isGood = outcome.type === 'response' && outcome.status < 400;
      const at = `<circle class="${isGood ? 'good' : 'bad'}" cx="${px(x(atMs))}" cy="${px(y)}" r="8"/>`;
      const text = `<text class="mark" x="${px(x(atMs))}" y="${px(y + 3.5)}">${wordFor(outcome).slice(0, 1)}</text>`;
      return `<g class="seen" style="animation-delay:${seconds(atMs - startMs)}">${at}${text}</g>`;
    });
    return [`<text x="4" y="${px(y + 4)}">${lane.label}</text>`, ...bars, ...marks].join('\n');
  });
  const bottom = TOP + ROW * lanes.length;
  const ticks = Array.from({ length: Math.floor((endMs - startMs) / 1_000) + 1 }, (_, second) => {
    return `<text x="${px(x(startMs + 1_000 * second))}" y="${bottom + 14}">${second} s</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 22}" role="img" aria-labelledby="title">`,
    `<title id="title">${title}</title>`,
    `<style>${STYLE}\n</style>`,
    ...rows,
    ...ticks,
    '</svg>\n',
  ].join('\n');
}
