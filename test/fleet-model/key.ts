import { createHash } from 'node:crypto';
import type { ModelState } from '../../packages/valkey/test/model.ts';
import { EPOCH_US, levelAt, type Process, type World } from './world.ts';

// Two worlds are the same if they differ by a shift of time, by the names of processes, or by numbers of calls.

/** Longer ago than any time that the machine compares, in milliseconds. */
const LONG_AGO_MS = -200_000;

const rounded = (value: number): number => Math.round(value * 1e3) / 1e3;

/** Moments of the bucket's time among the fields of a reply and of the store. */
const MOMENTS_US = new Set(
  'atUs writtenUs frame epoch pausedUs resumedUs endsUs emptyUs baseUs marks at paused resumed ends empty base orderUs pauseKnownUs'.split(
    ' ',
  ),
);

/** What says nothing about what may happen. */
const LEFT_OUT = new Set([
  'terms',
  'name',
  'line',
  'error',
  'calls',
  'id',
  'answered',
  'pauseCall',
  'number',
  'outages',
  'limits',
]);

interface Origin {
  readonly nowMs: number;
  readonly nowUs: number;
}

type Kind = 'ms' | 'us' | 'ahead' | 'out' | 'other';

function kindOf(name: string): Kind {
  if (LEFT_OUT.has(name)) return 'out';
  if (name.endsWith('AtMs')) return 'ms';
  if (name === 'aheadMs') return 'ahead';
  return MOMENTS_US.has(name) ? 'us' : 'other';
}

const kinds = new Map<string, Kind>();

function numberText(value: number, kind: Kind, { nowMs, nowUs }: Origin): string {
  if (!Number.isFinite(value)) return `${value}`;
  if (kind === 'ms') return `${rounded(Math.max(LONG_AGO_MS, value - nowMs))}`;
  if (kind === 'ahead') return `${Math.round(value + nowMs - nowUs / 1_000)}`;
  // A run takes a microsecond.
  if (kind === 'us')
    return value === 0 ? 'none' : `${Math.max(LONG_AGO_MS, Math.round((value - nowUs) / 1_000))}`;
  return `${rounded(value)}`;
}

/** A text that is the same for all values that mean the same. */
function plain(value: unknown, kind: Kind, from: Origin): string {
  if (typeof value === 'number') return numberText(value, kind, from);
  if (typeof value !== 'object' || value === null) return `${value as string}`;
  let text = '(';
  if (Array.isArray(value)) for (const each of value) text += `${plain(each, kind, from)} `;
  else
    for (const key in value) {
      let of = kinds.get(key);
      if (of === undefined) {
        of = kindOf(key);
        kinds.set(key, of);
      }
      const each = (value as Record<string, unknown>)[key];
      if (of === 'out' || each === undefined) continue;
      // Fields stand in one order, but for those that may be missing.
      text += `${key[0]}${key.length} ${plain(each, of, from)} `;
    }
  return `${text})`;
}

/** Of a process, the last text and the time that it is of: most events change neither. */
const textOf = new WeakMap<Process, { readonly at: string; readonly text: string }>();

function processText(process: Process, from: Origin): string {
  const at = `${from.nowMs} ${from.nowUs}`;
  const known = textOf.get(process);
  if (known?.at === at) return known.text;
  const { lease: state, flights, ...rest } = process;
  const calls = flights.map(({ to, args, reply, sentAtMs, isGivenUp, isAgain }) => ({
    ...{ call: to.call, sentAtMs, isGivenUp, isAgain, outage: to.outage - state.outages },
    // A call that the store has not run yet hands in what its process knew.
    ...{
      place: state.calls - to.id,
      known: reply === undefined ? args.slice(2).map((one) => numbers(one, from)) : [],
    },
    // The store has run it after so many of the others.
    reply: reply?.map((part) => moment(part, from)),
    after: reply && flights.filter((one) => one.reply && Number(one.reply[1]) < Number(reply[1])).length,
  }));
  const open = state.open.map(({ id, ...one }) => ({
    ...one,
    place: state.calls - id,
    outage: one.outage - state.outages,
  }));
  const order = { answered: state.calls - state.member.answered, pause: state.calls - state.pauseCall };
  const sinceMs = Math.round((state.orderUs - state.known.orderUs - from.nowUs) / 1_000);
  const { last } = state.known;
  const isKnownLine = state.line === [last?.epoch, ...(last?.givenUs ?? [])].join(' ');
  const text = plain(
    {
      ...rest,
      calls,
      order,
      sinceMs,
      isKnownLine,
      lease: { ...state, open, orderUs: 0, known: { ...state.known, orderUs: 0 } },
    },
    'other',
    from,
  );
  textOf.set(process, { at, text });
  return text;
}

/** The key of a world. */
export function keyOf(world: World): string {
  const { nowMs, aheadUs } = world;
  const from: Origin = { nowMs, nowUs: EPOCH_US + nowMs * 1_000 + aheadUs };
  const each = world.processes.map((process) => ({
    name: process.lease.member.name,
    text: processText(process, from),
  }));
  each.sort((one, other) => (one.text < other.text ? -1 : 1));
  let store = '';
  if (world.text !== undefined) {
    const state = JSON.parse(world.text) as ModelState;
    const records = state.records
      .map((record) => ({ ...record, place: each.findIndex(({ name }) => name === record.name) }))
      .sort((one, other) => one.place - other.place);
    store = plain({ ...state, records }, 'other', from);
  }
  const levels = [levelAt(world.leased, nowMs), levelAt(world.local, nowMs)].map(rounded);
  const rest = JSON.stringify([world.troubles, world.isTimely, levels, rounded((nowMs * 1_000) % 1)]);
  const hash = createHash('md5');
  for (const { text } of each) hash.update(text).update('|');
  return hash.update(store).update(rest).digest('base64');
}

/** A part of a text or a reply: moments are the numbers that are so large. */
function moment(part: unknown, { nowUs }: Origin): unknown {
  const number = Number(part);
  if (number > EPOCH_US / 2) return Math.round((number - nowUs) / 1_000);
  return typeof part === 'string' && part.startsWith('process') ? '' : part;
}

const numbers = (text: string, from: Origin): unknown[] => text.split(' ').map((part) => moment(part, from));
