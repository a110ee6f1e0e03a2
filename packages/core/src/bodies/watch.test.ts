import { describe, expect, test, vi } from 'vitest';
import { throwing } from '../../test/throwing.ts';
import { nextTurn } from '../base/clock.ts';
import { virtualClock } from '../testing.ts';
import { whenBodyEnds } from './watch.ts';

const part = (text = 'x'): Uint8Array => new TextEncoder().encode(text);

/** A body whose parts come when the test says so. */
function sourceOf() {
  let controller: ReadableStreamDefaultController | undefined;
  const cancelled = vi.fn();
  const start = (own: ReadableStreamDefaultController): void => {
    controller = own;
  };
  const stream = new ReadableStream({ start, cancel: cancelled });
  const send = (text?: string): void => controller?.enqueue(part(text));
  const end = (): void => controller?.close();
  const fail = (error: unknown): void => controller?.error(error);
  return { stream, cancelled, send, end, fail };
}

/** A class of responses of which none was watched before. */
const freshClass = (): typeof Response => class extends Response {};

/** A watched response, and how often its use has ended. */
function watched(
  init: ResponseInit = {},
  more: { signal?: AbortSignal; body?: BodyInit | null; response?: Response } = {},
) {
  const clock = virtualClock({ startMs: 0 });
  const source = sourceOf();
  const Own = freshClass();
  const response = more.response ?? new Own(more.body === undefined ? source.stream : more.body, init);
  const ended = vi.fn();
  const { status } = response;
  const context = { method: 'GET', status, signal: more.signal, clock };
  whenBodyEnds(response, context, ended);
  const isOver = (): boolean => ended.mock.calls.length > 0;
  /** A second in which no one reads: the body is looked at. */
  const unread = async (): Promise<void> => {
    await nextTurn();
    await clock.advance(1_000);
  };
  return { ...source, Own, clock, response, ended, context, isOver, unread };
}

/** Some turns, in which a body that is read ahead arrives. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await nextTurn();
}

describe('a response that is watched', () => {
  test('is told by its stream the first time, and by its class after that', async () => {
    const Own = freshClass();
    const body = vi.spyOn(Own.prototype, 'body', 'get');
    const made = [1, 2].map(() => watched({}, { response: new Own('x') }));
    expect(body).toHaveBeenCalledTimes(1);
    expect(await Promise.all(made.map(({ response }) => response.text()))).toEqual(['x', 'x']);
    expect(made.every(({ ended }) => ended.mock.calls.length === 1)).toBe(true);
  });

  test('lends its prototype to one that is not watched, whose members are then the native ones', async () => {
    const { response } = watched();
    const plain = new Response('plain');
    Object.setPrototypeOf(plain, Object.getPrototypeOf(response));
    const { body } = plain;
    expect([body, plain.body]).toEqual([expect.any(ReadableStream), body]);
    expect(await plain.clone().text()).toBe('plain');
    expect(await plain.text()).toBe('plain');
  });

  test('may be one whose prototype is that of another watched one: a proxy may have copied it', async () => {
    const first = watched();
    const copied = new Response('copied');
    Object.setPrototypeOf(copied, Object.getPrototypeOf(first.response));
    const { response, ended, isOver } = watched({}, { response: copied });
    expect(Object.getPrototypeOf(response)).toBe(Object.getPrototypeOf(first.response));
    expect(isOver()).toBe(false);
    const { context } = first;
    const other = vi.fn();
    whenBodyEnds(response, context, other);
    expect([await response.text(), ended.mock.calls.length, other.mock.calls.length]).toEqual([
      'copied',
      1,
      1,
    ]);
  });

  test.each<[what: string, response: () => object]>([
    ['one that is frozen', () => Object.freeze(new Response('x'))],
    ['a mock with a body of its own', () => ({ body: new Response('x').body })],
    [
      'a mock without a prototype',
      () => Object.assign(Object.create(null), { body: new Response('x').body }),
    ],
  ])('is not %s, which stays as it is, and is over at the check if it is being read', async (_, make) => {
    const response = make() as Response;
    const before = Object.getPrototypeOf(response);
    const { clock, isOver } = watched({}, { response });
    expect(Object.getPrototypeOf(response)).toBe(before);
    response.body?.getReader();
    await nextTurn();
    await clock.advance(999);
    expect(isOver()).toBe(false);
    await clock.advance(1);
    expect(isOver()).toBe(true);
  });

  test('twice in a row tells both', async () => {
    const { response, context, ended } = watched({}, { body: 'x' });
    const other = vi.fn();
    whenBodyEnds(response, context, other);
    expect(other).not.toHaveBeenCalled();
    await response.text();
    expect([ended.mock.calls.length, other.mock.calls.length]).toEqual([1, 1]);
    const late = vi.fn();
    whenBodyEnds(response, context, late);
    expect(late).toHaveBeenCalledTimes(1);
  });
});

describe('reading', () => {
  test('that is refused while another read goes on ends nothing', async () => {
    const { response, end, isOver } = watched();
    const text = response.text();
    await expect(response.json()).rejects.toThrow(TypeError);
    expect(isOver()).toBe(false);
    end();
    await text;
    expect(isOver()).toBe(true);
  });

  test.each([
    ['with a length', { 'content-length': '2' }, true],
    ['of unknown length', {}, false],
    ['that fetch has decompressed', { 'content-length': '2', 'content-encoding': 'gzip' }, false],
    ['with another length', { 'content-length': '3' }, false],
  ])('a body %s is over with its last byte', async (_, headers, isAtLastByte) => {
    const { response, send, end, isOver } = watched({ headers });
    const reader = response.body?.getReader();
    send('ab');
    expect((await reader?.read())?.value).toEqual(part('ab'));
    expect(isOver()).toBe(isAtLastByte);
    end();
    expect((await reader?.read())?.done).toBe(true);
    expect(isOver()).toBe(true);
  });

  test('gives the same stream each time, and later reads are refused as those of any other response', async () => {
    const { response, send, end } = watched();
    expect(response.body).toBe(response.body);
    send('ab');
    end();
    expect(await response.text()).toBe('ab');
    expect([response.bodyUsed, response.body?.locked]).toEqual([true, true]);
    await expect(response.text()).rejects.toThrow(TypeError);
    expect(() => response.clone()).toThrow(TypeError);
  });

  test.each<[what: string, read: (response: Response) => Promise<string>]>([
    ['text()', (response) => response.text()],
    ['a clone', (response) => response.clone().text()],
    ['its stream', ({ body }) => new Response(body).text()],
  ])('a stream that was given up without a read leaves the body to %s', async (_, read) => {
    const { response, send, end, isOver } = watched();
    response.body?.getReader().releaseLock();
    expect([response.bodyUsed, isOver()]).toEqual([false, false]);
    send('ab');
    end();
    expect([await read(response), isOver()]).toEqual(['ab', true]);
  });

  test.each<[how: string, take: (body: ReadableStream) => unknown]>([
    ['holds it', (body) => body.getReader()],
    ['has read a part of it', (body) => body.getReader().read()],
    ['has split it', (body) => body.tee()],
    ['has piped it', (body) => body.pipeThrough(new TransformStream())],
  ])('a stream beside a reader that %s is refused, and read ahead no more', async (_, take) => {
    const { clock, response, send, isOver } = watched();
    send('a');
    await take(response.body as ReadableStream);
    await expect(response.text()).rejects.toThrow(TypeError);
    expect(() => response.clone()).toThrow(TypeError);
    await nextTurn();
    await clock.advance(10_000);
    expect([isOver(), clock.pending]).toEqual([false, 0]);
  });

  test('by a member that fails before it reads leaves the body to the next one', async () => {
    class Picky extends Response {
      override json(): Promise<never> {
        return Promise.reject(new TypeError('no JSON'));
      }
    }
    const { response, isOver } = watched({}, { response: new Picky('ab') });
    await expect(response.json()).rejects.toThrow('no JSON');
    expect(isOver()).toBe(false);
    expect([await response.text(), isOver()]).toEqual(['ab', true]);
  });
});

describe('a clone', () => {
  test('that is cancelled leaves the use to its response', async () => {
    const { response, cancelled, isOver } = watched();
    const copy = response.clone();
    void copy.body?.cancel('no');
    await settled();
    expect([isOver(), cancelled.mock.calls.length]).toEqual([false, 0]);
    await response.body?.cancel('no');
    expect([isOver(), cancelled.mock.calls.length]).toEqual([true, 1]);
  });

  test('of a response whose use is over is not watched', async () => {
    const { response, clock, isOver } = watched({ status: 404 }, { body: 'x' });
    await settled();
    expect([isOver(), clock.pending]).toEqual([true, 0]);
    const copy = response.clone();
    expect(Object.getPrototypeOf(copy) === Response.prototype).toBe(true);
    expect([await copy.text(), await response.text()]).toEqual(['x', 'x']);
  });
});

describe('an abort', () => {
  test('before the response ends it at once, and the response is not watched', () => {
    const { response, ended, Own } = watched({}, { signal: AbortSignal.abort() });
    expect(ended).toHaveBeenCalledTimes(1);
    expect(Object.getPrototypeOf(response) === Own.prototype).toBe(true);
  });

  test.each<[how: string, read: (response: Response) => unknown]>([
    ['text()', (response) => response.text()],
    ['a reader', (response) => response.body?.getReader().read()],
  ])('fails what is read by %s after it, with its reason', async (_, read) => {
    const abort = new AbortController();
    const reason = new Error('enough');
    const { response, send } = watched({}, { signal: abort.signal });
    send('ab');
    abort.abort(reason);
    await expect(read(response)).rejects.toBe(reason);
    await expect(response.text()).rejects.toThrow();
  });

  test('uses up a body that is read after it', async () => {
    const abort = new AbortController();
    const { response } = watched({}, { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(response.text()).rejects.toBe(abort.signal.reason);
    expect(response.bodyUsed).toBe(true);
  });

  test('after the body was read changes nothing', async () => {
    const abort = new AbortController();
    const { response, ended } = watched({}, { signal: abort.signal, body: 'x' });
    await response.text();
    abort.abort(new Error('enough'));
    expect(ended).toHaveBeenCalledTimes(1);
    await expect(response.text()).rejects.toThrow(TypeError);
  });

  test('leaves no listener once the body is over', async () => {
    const { signal } = new AbortController();
    const remove = vi.spyOn(signal, 'removeEventListener');
    const { response } = watched({}, { signal, body: 'x' });
    expect(remove).not.toHaveBeenCalled();
    await response.text();
    expect(remove).toHaveBeenCalledTimes(1);
  });
});

describe('a body that no one reads', () => {
  test.each<[what: string, init: ResponseInit, atMs: number]>([
    ['of a success is looked at after a second', {}, 1_000],
    ['of a redirect as well', { status: 399 }, 1_000],
    ['of an error is looked at in the next turn', { status: 400 }, 0],
  ])('%s', async (_, init, atMs) => {
    const { response, clock, isOver } = watched(init, { body: 'x' });
    await nextTurn();
    if (atMs > 0) {
      await clock.advance(atMs - 1);
      await settled();
      expect(isOver()).toBe(false);
      await clock.advance(1);
    }
    await settled();
    expect([isOver(), response.bodyUsed, await response.text()]).toEqual([true, false, 'x']);
    expect(clock.pending).toBe(0);
  });

  test.each([
    [65_536, true],
    [65_537, false],
  ])('of %i bytes is read ahead: %s', async (length, isRead) => {
    const { clock, response, isOver, unread } = watched(
      { headers: { 'content-length': String(length) } },
      { body: 'x'.repeat(length) },
    );
    await unread();
    await settled();
    expect([isOver(), clock.pending]).toEqual([isRead, 0]);
    expect((await response.text()).length).toBe(length);
    expect(isOver()).toBe(true);
  });

  test('and does not end within five seconds keeps its connection, and can be read', async () => {
    const { clock, response, send, end, cancelled, isOver, unread } = watched();
    send('a');
    await unread();
    await clock.advance(4_999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    await settled();
    expect([isOver(), clock.pending, cancelled.mock.calls.length]).toEqual([false, 0, 0]);
    send('b');
    end();
    expect([await response.text(), isOver()]).toEqual(['ab', true]);
  });

  test.each<[how: string, end: (response: Response, abort: AbortController) => unknown, cancels: number]>([
    ['once the caller cancels it', (response) => response.body?.cancel('no'), 1],
    ['after an abort', (_, abort) => abort.abort(new Error('enough')), 0],
  ])('is read ahead no more %s', async (_, end, cancels) => {
    const abort = new AbortController();
    const { clock, response, cancelled, isOver, unread } = watched({}, { signal: abort.signal });
    await unread();
    expect(clock.pending).toBe(1);
    await end(response, abort);
    await settled();
    expect([isOver(), clock.pending, cancelled.mock.calls.length]).toEqual([true, 0, cancels]);
  });

  test('keeps no process alive: its timers are in the background', async () => {
    const timers: (boolean | undefined)[] = [];
    for (const [length, isRead] of [
      ['5', false],
      ['65537', true],
    ] as const) {
      const { clock, response, Own, unread } = watched({ headers: { 'content-length': length } });
      const { schedule } = clock;
      vi.spyOn(clock, 'schedule').mockImplementation((wake, delayMs, inBackground, isWait) => {
        timers.push(inBackground);
        return schedule(wake, delayMs, inBackground, isWait);
      });
      if (isRead) void Own.prototype.text.call(response);
      await unread();
    }
    // The first looks, the bound of reading ahead, and the bound of what cannot be seen.
    expect(timers).toEqual([true, true, true, true]);
  });

  test('is read ahead once, also if it has two branches', async () => {
    const { clock, response, isOver, send, end, unread } = watched();
    const copy = response.clone();
    await unread();
    expect(clock.pending).toBe(1);
    send('ab');
    end();
    await settled();
    expect([isOver(), clock.pending]).toEqual([true, 0]);
    expect(await Promise.all([copy.text(), response.text()])).toEqual(['ab', 'ab']);
  });

  test('is read ahead for the branch that is left', async () => {
    const { clock, response, isOver, send, end, unread } = watched();
    const copy = response.clone();
    await unread();
    void copy.body?.cancel();
    await settled();
    expect([isOver(), clock.pending]).toEqual([false, 1]);
    send('ab');
    end();
    await settled();
    expect([isOver(), await response.text()]).toEqual([true, 'ab']);
  });

  test('is not read ahead if one of its branches shows that the use is over', async () => {
    const { clock, response, isOver, unread } = watched();
    response.clone();
    (Reflect.get(Response.prototype, 'body', response) as ReadableStream).getReader();
    await unread();
    expect([isOver(), clock.pending]).toEqual([true, 0]);
  });

  test('of a mock whose members throw is over in the next turn', async () => {
    const mock = Object.defineProperty({ body: sourceOf().stream }, 'headers', { get: throwing() });
    const { clock, isOver } = watched({}, { response: mock as never });
    expect(isOver()).toBe(false);
    await settled();
    expect([isOver(), clock.pending]).toEqual([true, 0]);
  });

  test('of a mock that has no clone keeps its connection', async () => {
    const { stream } = sourceOf();
    const { clock, isOver, unread } = watched({}, { response: { body: stream } as Response });
    await unread();
    expect([isOver(), clock.pending, stream.locked]).toEqual([false, 0, false]);
  });

  test('to its end, but in part, is not read ahead', async () => {
    const { clock, response, send, isOver } = watched();
    const reader = response.body?.getReader();
    send('a');
    await reader?.read();
    reader?.releaseLock();
    await nextTurn();
    await clock.advance(60_000);
    expect([isOver(), clock.pending]).toEqual([false, 0]);
  });

  type NativeUse = (body: ReadableStream, send: () => void) => unknown;

  test.each<[what: string, length: string, overAtMs: number, use: NativeUse]>([
    ['is locked: a short one is over at the check', '5', 1_000, (body) => body.getReader()],
    ['is being read: it is over at the check', '5', 1_000, (body) => new Response(body).text()],
    [
      'is being read: a long one is over a minute later',
      '65537',
      61_000,
      (body) => new Response(body).text(),
    ],
    [
      'was read in part: it is over at the check',
      '5',
      1_000,
      async (body, send) => {
        const reader = body.getReader();
        send();
        await reader.read();
        reader.releaseLock();
      },
    ],
  ])('and whose native body %s', async (_, length, overAtMs, use) => {
    const { clock, response, send, isOver } = watched({ headers: { 'content-length': length } });
    void use(Reflect.get(Response.prototype, 'body', response) as ReadableStream, send);
    await settled();
    await clock.advance(overAtMs - 1);
    await settled();
    expect(isOver()).toBe(false);
    await clock.advance(1);
    expect([isOver(), clock.pending]).toEqual([true, 0]);
  });

  test('and whose native body is being read refuses other reads, which end nothing after the check', async () => {
    const { clock, response, isOver } = watched({ headers: { 'content-length': '65537' } });
    void Response.prototype.text.call(response);
    await settled();
    await clock.advance(1_000);
    await expect(response.text()).rejects.toThrow(TypeError);
    expect([isOver(), clock.pending]).toEqual([false, 1]);
  });
});

test('once its use is over a response shows its native body', async () => {
  const { response, isOver } = watched({ status: 404 }, { body: 'x' });
  await settled();
  expect(isOver()).toBe(true);
  const { body } = response;
  expect(Reflect.get(Response.prototype, 'body', response) === body).toBe(true);
  expect(await new Response(body).text()).toBe('x');
});

test('bodies that are read at once need no timer', async () => {
  const all = Array.from({ length: 20 }, () => watched());
  const reading = all.map(({ response }) => response.text());
  await settled();
  for (const { clock, isOver, end } of all) {
    expect([clock.pending, isOver()]).toEqual([0, false]);
    end();
  }
  await Promise.all(reading);
  expect(all.every(({ isOver }) => isOver())).toBe(true);
});

test('each of many responses of a turn is looked at', async () => {
  const all = Array.from({ length: 20 }, () => watched({ headers: { 'content-length': '0' } }));
  await settled();
  expect(all.every(({ isOver }) => isOver())).toBe(true);
});
