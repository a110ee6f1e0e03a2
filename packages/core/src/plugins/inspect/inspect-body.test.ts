import { expect, test, vi } from 'vitest';
import { to } from '../../../test/asks.ts';
import { HookError } from '../../base/errors.ts';
import type { Peek } from '../../http/body.ts';
import type { ResponseOutcome } from '../../http/outcome.ts';
import { virtualClock } from '../../testing.ts';
import { type Inspect, type InspectBodyOptions, inspectBody } from './inspect-body.ts';

const clock = virtualClock({ startMs: 0 });
const outcome: ResponseOutcome = { type: 'response', status: 200, header: (name) => `the ${name}` };
const request = to('https://a.test/');
const bytes = (text: string) => new TextEncoder().encode(text);

/** A body that comes in parts; an error breaks it, and `never` holds it up. */
function bodyOf(parts: readonly (string | Error | 'never')[]) {
  let at = 0;
  const used = { stopped: 0, read: 0 };
  const peek: Peek = {
    read: () => {
      const part = parts[at];
      at += 1;
      used.read += 1;
      if (part === 'never') return new Promise(() => undefined);
      return part instanceof Error
        ? Promise.reject(part)
        : Promise.resolve(part === undefined ? part : bytes(part));
    },
    stop: () => {
      used.stopped += 1;
    },
  };
  return { peek, used };
}

function look(
  inspect: Inspect,
  parts: Parameters<typeof bodyOf>[0] = [],
  options?: InspectBodyOptions,
  signal?: AbortSignal,
) {
  const { peek, used } = bodyOf(parts);
  const judged = inspectBody(inspect, options).look(outcome, {
    request,
    attempt: 2,
    open: () => peek,
    signal,
    clock,
  });
  return { judged, used };
}

test('a body is read as far as the bound, and no longer than its time', async () => {
  const found: unknown[] = [];
  const reads: Inspect = async (response) => {
    found.push(await response.text(), await response.json());
    return { verdict: 'success' };
  };
  for (const [maxBytes, last] of [
    [7, ':1}'],
    [6, ':1}'],
    [7, 'never'],
  ] as const) {
    const { judged } = look(reads, ['{"a"', last], { maxBytes, timeoutMs: 50 });
    await clock.advance(50);
    expect(await judged).toMatchObject({ advice: { verdict: 'success' } });
  }
  expect(found).toEqual(['{"a":1}', { a: 1 }, '{"a":1', undefined, '{"a"', undefined]);
});

test('a body that is not asked for is not opened', async () => {
  const open = vi.fn();
  const inspector = inspectBody(({ status }) => (status === 200 ? undefined : { verdict: 'final' }));
  const context = { request, attempt: 1, open, signal: undefined, clock };
  expect(await inspector.look(outcome, context)).toBe(outcome);
  expect(open).not.toHaveBeenCalled();
});

test('a body that breaks is transient, unless something else is said', async () => {
  const broken = [new Error('reset')];
  const silent: Inspect = async (response) => {
    await response.firstEvent();
    return undefined;
  };
  expect(await look(silent, broken).judged).toMatchObject({ advice: { verdict: 'transient' } });
  const sure: Inspect = async (response) => {
    await response.firstEvent();
    return { verdict: 'success' };
  };
  expect(await look(sure, broken).judged).toMatchObject({ advice: { verdict: 'success' } });
  expect(await look(silent, broken, {}, AbortSignal.abort()).judged).toBe(outcome);
});

test('an inspect that never settles counts as one that says nothing', async () => {
  const { judged, used } = look(() => new Promise(() => undefined), [], { timeoutMs: 50 });
  await clock.advance(100);
  expect(await judged).toBe(outcome);
  expect(used.read).toBe(0);
  expect(clock.pending).toBe(0);
});

test('an abort ends a look at once, whatever inspect waits for', async () => {
  const controller = new AbortController();
  const { judged } = look(() => new Promise(() => undefined), [], {}, controller.signal);
  controller.abort();
  expect(await judged).toBe(outcome);
  expect(clock.pending).toBe(0);
});

test.each<[story: string, inspect: unknown, message: string]>([
  ['throws', () => expect.fail('no'), 'inspect failed: no'],
  ['rejects', () => Promise.reject(new Error('no')), 'inspect failed: no'],
  ['returns a word', () => 'refused', 'its result must be an object'],
  ['returns another verdict', () => ({ verdict: 'retry' }), "verdict must be one of 'success'"],
  ['returns a negative wait', async () => ({ waitMs: -1 }), 'waitMs must be a finite number ≥ 0'],
])('an inspect that %s fails the request', async (_, inspect, message) => {
  const error = await look(inspect as Inspect).judged.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(HookError);
  expect(String(error)).toContain(message);
});

test.each<[options: unknown, message: string]>([
  [{ maxBytes: 0 }, 'inspectBody: maxBytes must be a whole number ≥ 1, got 0'],
  [{ timeoutMs: 0 }, 'inspectBody: timeoutMs must be a finite number > 0, got 0'],
  [{ bytes: 1 }, 'inspectBody has no option "bytes"'],
])('%j is refused', (options, message) => {
  expect(() => inspectBody(() => undefined, options as never)).toThrow(message);
  expect(() => inspectBody('no' as never)).toThrow('inspectBody: inspect must be a function');
});
