import { duration, numeral } from '../../chart/scale.ts';
import type { Study } from '../study.ts';
import * as cases from './queue-cases.ts';
import * as figures from './queue-figures.ts';

/** The largest value of some moments. */
function most(moments: readonly cases.Moment[]): number {
  return Math.max(...moments.map(([, value]) => value));
}

export const slots: Study = {
  name: 'slots',
  shows: 'requests in flight to a service that becomes slow',
  figures: ['slots'],
  run() {
    const runs = ([undefined, 30] as const).map((limit) => ({ limit, ...cases.slotsUnder(limit) }));
    return {
      table: {
        columns: ['maxConcurrent', 'most in flight', 'sent', 'not sent'],
        rows: runs.map(({ limit, most, sent, refused }) => [
          limit === undefined ? 'none' : String(limit),
          ...[most, sent, refused].map(numeral),
        ]),
        legend: '100 requests per second for 25 s; a response takes 0.1 s, and 3 s from 5 s to 15 s',
      },
      figures: [{ name: 'slots', svg: figures.slotsFigure() }],
      csv: {
        columns: ['max_concurrent', 'seconds', 'in_flight'],
        rows: runs.flatMap(({ limit, inFlight }) =>
          inFlight.map(([seconds, count]) => [limit ?? 'none', seconds, count]),
        ),
      },
      data: runs,
    };
  },
};

export const tenants: Study = {
  name: 'tenants',
  shows: 'a small tenant beside a large one, in one bucket or two',
  figures: ['tenants'],
  run() {
    const runs = [false, true].map((perTenant) => ({ perTenant, waits: cases.smallTenantWaits(perTenant) }));
    return {
      table: {
        columns: ['bucket', 'longest wait of the small tenant'],
        rows: runs.map(({ perTenant, waits }) => [
          perTenant ? 'one for each tenant' : 'one for all',
          duration(1_000 * most(waits)),
        ]),
        legend: '5 requests per second of the small tenant; 600 of the large one in the third second',
      },
      figures: [{ name: 'tenants', svg: figures.tenantsFigure() }],
      csv: {
        columns: ['per_tenant', 'seconds', 'wait_s'],
        rows: runs.flatMap(({ perTenant, waits }) =>
          waits.map(([seconds, wait]) => [String(perTenant), seconds, Number(wait.toFixed(4))]),
        ),
      },
      data: runs,
    };
  },
};

const SHARINGS: readonly cases.QueueUse[] = ['each its own', 'fixed parts', 'one bucket'];

export const processes: Study = {
  name: 'processes',
  shows: 'eight processes that share a quota in three ways',
  figures: ['processes'],
  run() {
    const uses = SHARINGS.map((sharing) => ({ sharing, ...cases.useOf(sharing) }));
    return {
      table: {
        columns: ['the quota', 'served/s', '429s/s', 'not sent in time/s'],
        rows: uses.map(({ sharing, served, refusedByServer, waiting }) => [
          sharing,
          ...[served, refusedByServer, waiting].map((count) => String(Math.round(count))),
        ]),
        legend: 'a quota of 100 per second; one process wants 120 per second, seven want 5 each; no retries',
      },
      figures: [{ name: 'processes', svg: figures.processesFigure() }],
      csv: {
        columns: ['sharing', 'served_per_s', 'refused_per_s', 'waiting_per_s'],
        rows: uses.map(({ sharing, served, refusedByServer, waiting }) => [
          sharing,
          ...[served, refusedByServer, waiting].map((count) => Number(count.toFixed(2))),
        ]),
      },
      data: uses,
    };
  },
};

export const priorities: Study = {
  name: 'priorities',
  shows: 'urgent requests behind 200 others, with a priority',
  figures: ['priorities'],
  run() {
    const runs = [0, 1].map((priority) => ({ priority, waits: cases.urgentWaits(priority) }));
    return {
      table: {
        columns: ['priority', 'longest wait of an urgent request'],
        rows: runs.map(({ priority, waits }) => [String(priority), duration(1_000 * most(waits))]),
        legend: '200 requests of two tokens at once, 20 tokens per second, two urgent requests per second',
      },
      figures: [{ name: 'priorities', svg: figures.prioritiesFigure() }],
      csv: {
        columns: ['priority', 'seconds', 'wait_s'],
        rows: runs.flatMap(({ priority, waits }) =>
          waits.map(([seconds, wait]) => [priority, seconds, Number(wait.toFixed(4))]),
        ),
      },
      data: runs,
    };
  },
};
