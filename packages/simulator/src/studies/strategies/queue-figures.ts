import { barChart } from '../../chart/bar-chart.ts';
import { finding } from '../../chart/frame.ts';
import { lineChart } from '../../chart/line-chart.ts';
import { numeral } from '../../chart/scale.ts';
import { slotsUnder, smallTenantWaits, urgentWaits, useOf } from './queue-cases.ts';

/** Requests in flight to a service that becomes slow. */
export function slotsFigure(): string {
  const [free, limited] = [slotsUnder(undefined), slotsUnder(30)];
  return lineChart({
    title: finding(
      free.most > 10 * limited.most - 1,
      `When responses take 30 times as long, ${free.most} requests are in flight; a limit of 30 keeps them at 30`,
      'Requests in flight to a service that becomes slow',
    ),
    note: `100 requests per second. Without a slot a request is not sent: with the limit that happens to ${numeral(limited.refused)} of ${numeral(free.sent)}.`,
    x: 'Seconds',
    y: 'Requests in flight',
    lines: [
      { name: 'No limit', colour: 'red', points: free.inFlight },
      { name: '30 slots', colour: 'blue', points: limited.inFlight },
    ],
    bands: [{ name: '3 s for each response', from: 5, to: 15 }],
  });
}

/** How long a small tenant waits beside a large one. */
export function tenantsFigure(): string {
  const [shared, own] = [smallTenantWaits(false), smallTenantWaits(true)];
  const longest = Math.max(...shared.map(([, wait]) => wait));
  return lineChart({
    title: finding(
      longest > 10 && own.every(([, wait]) => wait === 0),
      `In one bucket a small tenant waits up to ${longest.toFixed(0)}\u00a0s behind a large one; in its own it does not wait`,
      'How long a small tenant waits beside a large one',
    ),
    note: 'One bucket of 50 tokens per second, or one of 25 for each of two tenants. The small one sends 5 requests per second.',
    x: 'Seconds',
    y: 'Wait of the small tenant, s',
    lines: [
      { name: 'One bucket', colour: 'red', points: shared },
      { name: 'One each', colour: 'blue', points: own },
    ],
    bands: [{ name: 'the large tenant sends 600', from: 2, to: 3 }],
  });
}

/** How long urgent requests wait behind others. */
export function prioritiesFigure(): string {
  const [usual, urgent] = [urgentWaits(0), urgentWaits(1)];
  const [long, short] = [usual, urgent].map((waits) => Math.max(...waits.map(([, wait]) => wait)));
  return lineChart({
    title: finding(
      (long ?? 0) > 10 && (short ?? 1) < 0.1,
      `Behind 200 requests an urgent one waits up to ${(long ?? 0).toFixed(0)}\u00a0s; with priority 1 it waits ${(1_000 * (short ?? 0)).toFixed(0)}\u00a0ms`,
      'How long urgent requests wait behind 200 others',
    ),
    note: '200 requests of two tokens wait from the start. 20 tokens come in per second. Two urgent requests per second arrive from 1 s to 15 s.',
    x: 'Seconds',
    y: 'Wait of an urgent request, s',
    lines: [
      { name: 'Priority 0', colour: 'red', points: usual },
      { name: 'Priority 1', colour: 'blue', points: urgent },
    ],
  });
}

/** Eight processes under one quota. */
export function processesFigure(): string {
  const uses = [
    { name: 'Eight buckets of 100', ...useOf('each its own') },
    { name: 'Eight buckets of 12.5', ...useOf('fixed parts') },
    { name: 'One bucket of 100', ...useOf('one bucket') },
  ];
  const [own, parts, one] = uses.map(({ served, refusedByServer }) => ({ served, refusedByServer }));
  return barChart({
    title: finding(
      one?.refusedByServer === 0 && (own?.refusedByServer ?? 0) > 0 && (parts?.served ?? 100) < 50,
      'One bucket uses the whole quota without a 429; fixed parts use half of it, and a full bucket each exceeds it',
      'Eight processes under one quota of 100 requests per second',
    ),
    note: 'One process wants 120 requests per second, seven want 5 each. The server allows 100 per second to all of them. No retries.',
    columns: ['Served per second', '429s per second'],
    rows: uses.map(({ name, served, refusedByServer }) => ({
      name,
      bars: [
        { parts: [{ value: served, colour: 'blue' }], text: String(Math.round(served)) },
        { parts: [{ value: refusedByServer, colour: 'red' }], text: String(Math.round(refusedByServer)) },
      ],
    })),
  });
}
