import { duration } from './format.ts';
import type { Schedule, Waits } from './schedule.ts';
import { figure, label, linear, type Map1, px, svg, ticks } from './svg.ts';

/** How many of the waits are drawn. More of them would blur. */
const DOTS = 350;
const LEFT = 26;
/** Room for the median, to the right of the longest wait. */
const RIGHT = 56;
const TOP = 18;
const BOTTOM = 30;

/** The finding in a sentence. */
export function scheduleFinding({ waits, totalMs, givesUp }: Schedule): string {
  const last = waits.at(-1);
  if (last === undefined) return 'No request is retried';
  const { retry, p5, p95 } = last;
  const all = retry === 1 ? 'One retry takes' : `${retry} retries take`;
  const same = duration(p5) === duration(p95);
  const span = same ? `${duration(p5)} for all` : `${duration(p5)} to ${duration(p95)}`;
  const end = givesUp ? '; then the rule gives up' : '';
  return `${all} ${duration(totalMs)} in total; the last waits ${span}${end}`;
}

/** The offset of a dot from the middle of its row. The golden ratio scatters evenly and reproducibly. */
function scatter(at: number): number {
  return ((at * 0.618_034) % 1) - 0.5;
}

function cloud({ drawnMs }: Waits, x: Map1, middle: number, height: number): SVGElement {
  const dots = drawnMs.slice(0, DOTS).map((ms, at) => `M${x(ms)} ${px(middle + scatter(at) * height)}h0`);
  return svg('path', { d: dots.join(''), class: 'dots' });
}

/** A row for each retry: all waits, the range of 90 % of them, and the median. Time runs to the right. */
export function drawSchedule(plot: HTMLElement, schedule: Schedule): void {
  const { waits } = schedule;
  const { clientWidth: width, clientHeight: height } = plot;
  const most = Math.max(1, ...waits.map(({ mostMs }) => mostMs));
  const marks = ticks(most, width < 500 ? 4 : 6, true);
  const x = linear(0, marks.at(-1) ?? most, LEFT, width - RIGHT);
  const rowHeight = (height - TOP - BOTTOM) / Math.max(1, waits.length);
  const bottom = height - BOTTOM;

  const grid = marks.map((mark) =>
    svg(
      'g',
      {},
      svg('path', { d: `M${x(mark)} ${TOP}V${bottom}`, class: 'grid' }),
      label(duration(mark), x(mark), bottom + 15, { anchor: 'middle', width, colour: 'muted' }),
    ),
  );
  const rows = waits.map((wait, at) => {
    const middle = TOP + (at + 0.5) * rowHeight;
    const tall = Math.min(40, rowHeight * 0.62);
    return svg(
      'g',
      {},
      label(String(wait.retry), 2, middle + 4, { colour: 'muted' }),
      cloud(wait, x, middle, tall),
      svg('path', { d: `M${x(wait.p5)} ${px(middle)}H${x(wait.p95)}`, class: 'span' }),
      svg('path', { d: `M${x(wait.p50)} ${px(middle - tall / 2)}v${px(tall)}`, class: 'median' }),
      label(duration(wait.p50), x(wait.mostMs) + 8, middle + 4),
    );
  });
  const name = waits.map(
    ({ retry, p5, p50, p95 }) =>
      `retry ${retry}: median ${duration(p50)}, 90 % from ${duration(p5)} to ${duration(p95)}`,
  );
  figure(
    plot,
    `Waits by retry. ${name.join('; ') || 'None: there are no retries'}.`,
    ...grid,
    label('retry', 0, 11, { colour: 'muted' }),
    label('wait, with its median', width, 11, { anchor: 'end', colour: 'muted' }),
    ...rows,
  );
}

/** The same numbers as a table. */
export function scheduleTable({ waits }: Schedule): HTMLTableElement {
  const table = document.createElement('table');
  const head = table.createTHead().insertRow();
  for (const title of ['Retry', '5 %', 'Median', '95 %', 'Longest']) {
    const cell = document.createElement('th');
    cell.scope = 'col';
    cell.textContent = title;
    head.append(cell);
  }
  const body = table.createTBody();
  for (const { retry, p5, p50, p95, mostMs } of waits) {
    const row = body.insertRow();
    for (const text of [String(retry), ...[p5, p50, p95, mostMs].map(duration)])
      row.insertCell().textContent = text;
  }
  return table;
}
