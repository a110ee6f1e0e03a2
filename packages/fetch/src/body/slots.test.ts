import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test, vi } from 'vitest';
import { isFree, limited, SHORT } from '../../test/limited.ts';

async function lengthOf(parts: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const part of parts) bytes += part.length;
  return bytes;
}

/** The parts of a body, read in this mode. */
async function* partsOf({ body }: Response, options: ReadableStreamGetReaderOptions) {
  const reader = (body as ReadableStream).getReader(options) as ReadableStreamBYOBReader;
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(65_536));
    if (done) return;
    yield value;
  }
}

const textOf = (body: ReadableStream | null | undefined): Promise<string> => new Response(body).text();
const errorOf = (reading: Promise<unknown>): Promise<unknown> => reading.catch((error: unknown) => error);
const readerOf = ({ body }: Response) => (body as ReadableStream<Uint8Array>).getReader();

describe('a body that is read releases its slot at its end', () => {
  test.each<[string, string, (response: Response) => Promise<unknown>, unknown]>([
    ['text()', '/short', (response) => response.text(), SHORT],
    ['json()', '/json', (response) => response.json(), { a: 1 }],
    ['arrayBuffer()', '/short', async (response) => (await response.arrayBuffer()).byteLength, SHORT.length],
    ['blob()', '/short', async (response) => (await response.blob()).type, 'text/plain'],
    ['bytes()', '/short', async (response) => (await response.bytes()).byteLength, SHORT.length],
    ['body, then text()', '/short', async (response) => response.body && response.text(), SHORT],
    ['new Response(body)', '/short', ({ body }) => textOf(body), SHORT],
    ['a clone', '/short', (response) => response.clone().text(), SHORT],
    ['a clone of a clone', '/short', (response) => response.clone().clone().text(), SHORT],
    ['for await', '/long', async (response) => lengthOf(response.body as never), 8_000_000],
    ['a reader', '/long', (response) => lengthOf(partsOf(response, {})), 8_000_000],
    ['a byob reader', '/long', (response) => lengthOf(partsOf(response, { mode: 'byob' })), 8_000_000],
    ['pipeThrough', '/short', ({ body }) => textOf(body?.pipeThrough(new TransformStream())), SHORT],
    ['one branch of tee()', '/short', ({ body }) => textOf(body?.tee()[1]), SHORT],
    [
      'up to its last byte',
      '/short',
      async (got) => (await readerOf(got).read()).value?.length,
      SHORT.length,
    ],
  ])('%s', async (_, path, read, expected) => {
    const { get, inUse } = await limited();
    const response = await get(path);
    expect(inUse()).toBe(1);
    expect(await read(response)).toEqual(expected);
    await isFree(inUse);
  });

  test('of both a response and its clone', async () => {
    const { get, inUse } = await limited();
    const response = await get('/long');
    const both = [response, response.clone()];
    const lengths = await Promise.all(both.map(async (one) => (await one.text()).length));
    expect([lengths, inUse()]).toEqual([[8_000_000, 8_000_000], 0]);
  });

  test('without a timer, if it is read at once', async () => {
    const clock = virtualClock({ startMs: 0 });
    const schedule = vi.spyOn(clock, 'schedule');
    const { get, inUse } = await limited(fetch, clock);
    for (let n = 0; n < 20; n += 1) {
      expect(await (await get('/short')).text()).toBe(SHORT);
      // Before code that awaits the body continues.
      expect(inUse()).toBe(0);
    }
    const read = (await get('/gated')).text();
    await new Promise(setImmediate);
    expect(inUse()).toBe(1);
    expect(schedule).not.toHaveBeenCalled();
    void read.catch(() => undefined);
  });

  test('not when a second read is rejected during the first', async () => {
    const { get, inUse, gate } = await limited();
    const response = await get('/gated');
    const reading = response.text();
    for (const second of [response.text(), response.json()]) await expect(second).rejects.toThrow(TypeError);
    expect(() => response.clone()).toThrow(TypeError);
    expect(inUse()).toBe(1);
    gate('open');
    expect(await reading).toBe('1234567890');
    expect(inUse()).toBe(0);
  });

  test('not when formData() rejects a body that is not a form, without reading it', async () => {
    const { get, bare, inUse } = await limited();
    const [response, plain] = [await get('/form'), await bare('/form')];
    for (const one of [response, plain]) await expect(one.formData()).rejects.toThrow(TypeError);
    expect(response.bodyUsed).toBe(plain.bodyUsed);
    expect(inUse()).toBe(response.bodyUsed ? 0 : 1);
    if (!response.bodyUsed) await response.body?.cancel();
    expect(inUse()).toBe(0);
  });
});

describe('a body that is not read releases its slot', () => {
  test('after a second if it is short, and can still be read', async () => {
    const { get, inUse, clock } = await limited();
    const response = await get('/short');
    await clock.advance(999);
    expect(inUse()).toBe(1);
    await clock.advance(100);
    await isFree(inUse);
    expect([response.bodyUsed, await response.text()]).toEqual([false, SHORT]);
  });

  test('at once for an error status', async () => {
    const { get, inUse, clock } = await limited();
    const response = await get('/404');
    expect(inUse()).toBe(1);
    await isFree(inUse);
    expect([clock.pending, await response.text()]).toEqual([0, SHORT]);
  });

  test.each<[what: string, path: string, init?: RequestInit]>([
    ['204', '/204'],
    ['HEAD', '/short', { method: 'HEAD' }],
  ])('at once for %s', async (_, path, init) => {
    const { get, inUse } = await limited();
    await get(path, init);
    expect(inUse()).toBe(0);
  });

  test('in the next turn of the event loop if it has no bytes', async () => {
    const { get, inUse, clock } = await limited();
    const response = await get('/empty');
    await new Promise(setImmediate);
    expect([inUse(), clock.pending, await response.text()]).toEqual([0, 0, '']);
  });

  test('if it is long, and it is whole when read after the check', async () => {
    const { get, inUse, clock } = await limited();
    const { body } = await get('/long');
    await clock.advance(1_100);
    await clock.advance(6_000);
    expect(inUse()).toBe(1);
    expect((await textOf(body)).length).toBe(8_000_000);
    await isFree(inUse);
  });

  test.each([
    ['when it has arrived, if that is within five seconds', 0],
    ['if it arrives later, when it is read', 5_500],
  ])('%s', async (_, laterMs) => {
    const { get, inUse, clock, gate } = await limited();
    const response = await get('/gated');
    await clock.advance(1_100);
    await clock.advance(laterMs);
    expect(inUse()).toBe(1);
    gate('open');
    if (laterMs === 0) await isFree(inUse);
    expect([inUse(), clock.pending]).toEqual([laterMs === 0 ? 0 : 1, 0]);
    expect([await response.text(), inUse()]).toEqual(['1234567890', 0]);
  });

  test.each<[when: string, use: (response: Response) => readonly (ReadableStream | null)[]]>([
    ['after `body` was accessed but not read', ({ body }) => [body]],
    ['after it was cloned', (response) => [response.clone().body, response.body]],
  ])('also %s', async (_, use) => {
    const { get, inUse, clock } = await limited();
    const bodies = use(await get('/short'));
    await clock.advance(1_100);
    await isFree(inUse);
    for (const body of bodies) expect(await textOf(body)).toBe(SHORT);
  });

  test('at the check, if the native body is being read', async () => {
    const { get, inUse, clock } = await limited();
    const response = await get('/short');
    expect(await Response.prototype.text.call(response)).toBe(SHORT);
    await clock.advance(1_100);
    expect(inUse()).toBe(0);
  });
});

describe('cancelling', () => {
  const readAndCancel = async (response: Response): Promise<void> => {
    const reader = readerOf(response);
    await reader.read();
    await reader.cancel();
  };

  test.each<[what: string, cancel: (response: Response) => Promise<unknown> | undefined]>([
    ['the body', ({ body }) => body?.cancel()],
    ['a reader of the body', readAndCancel],
    ['both branches', (got) => Promise.all([got.clone(), got].map(({ body }) => body?.cancel()))],
  ])('%s releases the slot, and the body is used', async (_, cancel) => {
    const { get, inUse } = await limited();
    const response = await get('/long');
    await cancel(response);
    expect([inUse(), response.bodyUsed]).toEqual([0, true]);
  });

  test('one of two branches keeps the slot for the other', async () => {
    const { get, inUse } = await limited();
    const response = await get('/long');
    const copy = response.clone();
    void response.body?.cancel();
    await new Promise(setImmediate);
    expect(inUse()).toBe(1);
    expect([(await copy.text()).length, inUse()]).toEqual([8_000_000, 0]);
  });

  test('while the body is read ahead releases the slot', async () => {
    const { get, inUse, clock } = await limited();
    const response = await get('/gated');
    await clock.advance(1_100);
    await response.body?.cancel();
    expect([inUse(), clock.pending]).toEqual([0, 0]);
  });
});

describe('a body that breaks releases its slot', () => {
  test('during text(), with the error of baseFetch', async () => {
    const { get, bare, inUse, gate } = await limited();
    const errors: unknown[] = [];
    for (const send of [get, bare]) {
      const text = errorOf((await send('/gated')).text());
      expect(inUse()).toBe(send === get ? 1 : 0);
      gate('break');
      errors.push(await text);
      expect(inUse()).toBe(0);
    }
    const broken = { name: 'TypeError', message: 'terminated', cause: { code: 'UND_ERR_SOCKET' } };
    expect(errors).toMatchObject([broken, broken]);
  });

  test('during a partial read, and with a reader that waits on `closed`', async () => {
    const { get, inUse, gate } = await limited();
    for (const reads of [1, 0]) {
      const reader = readerOf(await get('/gated'));
      const next = reads > 0 && (await reader.read()) && reader.read();
      gate('break');
      if (next) await expect(next).rejects.toThrow('terminated');
      await expect(reader.closed).rejects.toThrow('terminated');
      expect(inUse()).toBe(0);
    }
  });

  test('unread', async () => {
    const { get, inUse, gate, clock } = await limited();
    const response = await get('/gated');
    await clock.advance(1_100);
    gate('break');
    await isFree(inUse);
    await expect(response.text()).rejects.toThrow('terminated');
  });

  test.each([true, false])('by an abort, read: %s', async (isRead) => {
    const { get, inUse } = await limited();
    const controller = new AbortController();
    const response = await get('/gated', { signal: controller.signal });
    const text = isRead && errorOf(response.text());
    controller.abort(new Error('enough'));
    if (text) expect(await text).toBe(controller.signal.reason);
    expect(inUse()).toBe(0);
  });

  test('and an unhandled error still reaches the process', async () => {
    const { get, gate } = await limited();
    const listener = vi.fn();
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.once('unhandledRejection', listener);
    void (await get('/gated')).text();
    gate('break');
    await expect.poll(() => listener.mock.calls.length).toBe(1);
    for (const listener of listeners) process.on('unhandledRejection', listener);
  });
});
