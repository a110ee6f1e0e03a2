import { describe, expect, test, vi } from 'vitest';
import { HookError } from '../../base/errors.ts';
import type { Peek } from '../../http/body.ts';
import type { Responded } from '../../http/outcome.ts';
import { virtualClock } from '../../testing.ts';
import { type Inspect, type InspectBodyOptions, inspectBody } from './inspect-body.ts';

const clock = virtualClock({ startMs: 0 });
const outcome: Responded = { type: 'response', status: 200, header: (name) => `the ${name}` };
const request = { method: 'GET', url: 'https://a.test/', replayable: true, header: () => undefined };
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

/** What inspect was given by a body. */
async function seen<T>(
  ask: (response: Parameters<Inspect>[0]) => Promise<T>,
  parts: Parameters<typeof bodyOf>[0],
  options?: InspectBodyOptions,
): Promise<T | undefined> {
  let value: T | undefined;
  const { judged } = look(
    async (response) => {
      value = await ask(response);
      return { verdict: 'success' };
    },
    parts,
    options,
  );
  await clock.advance(5_000);
  await judged;
  return value;
}

describe('a body', () => {
  test.each<[story: string, parts: Parameters<typeof bodyOf>[0], text: string, json: unknown]>([
    ['in one part', ['{"a":1}'], '{"a":1}', { a: 1 }],
    ['in many', ['{"a"', ':', '1}'], '{"a":1}', { a: 1 }],
    ['that is empty', [], '', undefined],
    ['that is no JSON', ['down'], 'down', undefined],
    ['that is longer than the bound', ['{"a":1', '2345678901234567890}'], '{"a":12345678901', undefined],
    ['as long as the bound', ['{"a":12345678}  '], '{"a":12345678}  ', { a: 12345678 }],
    ['that stops coming', ['{"a"', 'never'], '{"a"', undefined],
    ['that breaks', ['{"a"', new Error('reset')], '{"a"', undefined],
    ['with a byte order mark', ['\uFEFF{}'], '{}', {}],
  ])('%s', async (_, parts, text, json) => {
    expect(await seen((response) => response.text(), parts, { maxBytes: 16 })).toBe(text);
    expect(await seen((response) => response.json(), parts, { maxBytes: 16 })).toEqual(json);
  });

  test('cut in the middle of a character', async () => {
    const [one, two] = [bytes('é').subarray(0, 1), bytes('é').subarray(1)];
    let at = 0;
    const peek: Peek = { read: async () => [one, two][at++], stop: () => undefined };
    let text = '';
    await inspectBody(async (response) => {
      text = await response.text();
      return undefined;
    }).look(outcome, { request, attempt: 1, open: () => peek, signal: undefined, clock });
    expect(text).toBe('é');
  });

  test('asked for twice at the same time is read once', async () => {
    const both = await seen((response) => Promise.all([response.text(), response.json()]), ['{"a"', ':1}']);
    expect(both).toEqual(['{"a":1}', { a: 1 }]);
  });

  test.each<[value: unknown, text: string, json: unknown]>([
    [{ a: 1 }, '{"a":1}', { a: 1 }],
    ['{"a":1}', '{"a":1}', { a: 1 }],
    ['down', 'down', undefined],
    [null, 'null', null],
  ])('that the client has parsed already, %j', async (value, text, json) => {
    const peek: Peek = {
      read: () => Promise.reject(new Error('read')),
      stop: () => undefined,
      parsed: { value },
    };
    const found: unknown[] = [];
    await inspectBody(async (response) => {
      found.push(await response.text(), await response.json());
      return undefined;
    }).look(outcome, { request, attempt: 1, open: () => peek, signal: undefined, clock });
    expect(found).toEqual([text, json]);
  });

  test('that is not asked for is not opened', async () => {
    let opened = 0;
    const open = () => {
      opened += 1;
      return undefined;
    };
    const inspector = inspectBody(({ status }) => (status === 200 ? undefined : { verdict: 'final' }));
    expect(await inspector.look(outcome, { request, attempt: 1, open, signal: undefined, clock })).toBe(
      outcome,
    );
    expect(opened).toBe(0);
  });

  test('that there is not', async () => {
    let text: string | undefined;
    await inspectBody(async (response) => {
      text = await response.text();
      return undefined;
    }).look(outcome, { request, attempt: 1, open: () => undefined, signal: undefined, clock });
    expect(text).toBe('');
  });
});

test('the first event is seen as soon as it has arrived, and the rest is not waited for', async () => {
  let event: unknown;
  const { judged, used } = look(
    async (response) => {
      event = await response.firstEvent();
      return { verdict: 'transient' };
    },
    ['event: error\nda', 'ta: 1\n\n', 'never'],
  );
  expect(await judged).toMatchObject({ judgement: { verdict: 'transient' } });
  expect(event).toEqual({ event: 'error', data: '1' });
  expect(used).toEqual({ read: 2, stopped: 1 });
  expect(clock.pending).toBe(0);
});

describe('a body of parts that are there already', () => {
  /** One byte a part, without a turn of the event loop between them; it ends after `most`, whatever reads it. */
  function instant(most: number) {
    const used = { read: 0 };
    const peek: Peek = {
      read: async () => {
        used.read += 1;
        return used.read > most ? undefined : bytes('x');
      },
      stop: () => undefined,
    };
    return { peek, used };
  }

  test.each<[ask: string, inspect: (response: Parameters<Inspect>[0]) => Promise<unknown>]>([
    ['firstEvent', (response) => response.firstEvent()],
    ['text', (response) => response.text()],
    ['json', (response) => response.json()],
    ['two at a time', (response) => Promise.all([response.text(), response.firstEvent()])],
  ])('%s runs into its timeout', async (_, ask) => {
    const most = 100_000;
    const { peek, used } = instant(most);
    const judged = inspectBody(
      async (response) => {
        await ask(response);
        return { verdict: 'transient' };
      },
      { timeoutMs: 50, maxBytes: 2 * most },
    ).look(outcome, { request, attempt: 1, open: () => peek, signal: undefined, clock });
    setImmediate(() => void clock.advance(50));
    expect(await judged).toMatchObject({ judgement: { verdict: 'transient' } });
    expect(used.read).toBeLessThan(most);
    expect(clock.pending).toBe(0);
  });

  test('its text is joined once, not for each part', async () => {
    const { peek } = instant(3_000);
    const join = vi.spyOn(Array.prototype, 'join');
    let text = '';
    try {
      await inspectBody(async (response) => {
        await response.firstEvent();
        text = await response.text();
        return undefined;
      }).look(outcome, { request, attempt: 1, open: () => peek, signal: undefined, clock });
      expect(join.mock.calls.length).toBeLessThan(10);
    } finally {
      join.mockRestore();
    }
    expect(text).toBe('x'.repeat(3_000));
  });
});

test('the outcome keeps its fields, and is given with the request and the attempt', async () => {
  let given: unknown[] = [];
  const { judged } = look((response) => {
    given = [response.status, response.header('x'), response.request, response.attempt];
    return { verdict: 'refused', waitMs: 20 };
  });
  const found = (await judged) as Responded;
  expect(given).toEqual([200, 'the x', request, 2]);
  expect(found).toMatchObject({
    type: 'response',
    status: 200,
    judgement: { verdict: 'refused', waitMs: 20 },
  });
  expect(found.header('y')).toBe('the y');
});

test('a body that breaks is transient, unless something else is said', async () => {
  const broken = [new Error('reset')];
  const silent: Inspect = async (response) => {
    await response.firstEvent();
    return undefined;
  };
  expect(await look(silent, broken).judged).toMatchObject({ judgement: { verdict: 'transient' } });
  const sure: Inspect = async (response) => {
    await response.firstEvent();
    return { verdict: 'success' };
  };
  expect(await look(sure, broken).judged).toMatchObject({ judgement: { verdict: 'success' } });
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
  [
    'throws',
    () => {
      throw new Error('no');
    },
    'inspect failed: no',
  ],
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
