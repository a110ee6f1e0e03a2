import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test, vi } from 'vitest';
import { isFree, limited, SHORT } from '../../test/limited.ts';

describe('a body that is read releases its slot at its end', () => {
  test.each<[string, string, (response: Response) => Promise<unknown>, unknown]>([
    ['text()', '/short', (response) => response.text(), SHORT],
    ['json()', '/json', (response) => response.json(), { a: 1 }],
    ['arrayBuffer()', '/short', async (response) => (await response.arrayBuffer()).byteLength, SHORT.length],
    ['blob()', '/short', async (response) => (await response.blob()).type, 'text/plain'],
    ['bytes()', '/short', async (response) => (await response.bytes()).byteLength, SHORT.length],
    ['body, then text()', '/short', async (response) => response.body && response.text(), SHORT],
    ['new Response(body)', '/short', (response) => new Response(response.body).text(), SHORT],
    ['a clone', '/short', (response) => response.clone().text(), SHORT],
    ['a clone of a clone', '/short', (response) => response.clone().clone().text(), SHORT],
    [
      'for await',
      '/long',
      async (response) => {
        let bytes = 0;
        for await (const part of response.body as never as AsyncIterable<Uint8Array>) bytes += part.length;
        return bytes;
      },
      8_000_000,
    ],
    [
      'a reader',
      '/long',
      async (response) => {
        const reader = (response.body as ReadableStream<Uint8Array>).getReader();
        let bytes = 0;
        for (let part = await reader.read(); !part.done; part = await reader.read())
          bytes += part.value.length;
        return bytes;
      },
      8_000_000,
    ],
    [
      'a byob reader',
      '/long',
      async (response) => {
        const reader = (response.body as ReadableStream<Uint8Array>).getReader({ mode: 'byob' });
        let bytes = 0;
        for (;;) {
          const part = await reader.read(new Uint8Array(65_536));
          if (part.done) return bytes;
          bytes += part.value.length;
        }
      },
      8_000_000,
    ],
    [
      'pipeThrough',
      '/short',
      (response) =>
        new Response(
          (response.body as ReadableStream<BufferSource>)
            .pipeThrough(new TextDecoderStream())
            .pipeThrough(new TextEncoderStream()),
        ).text(),
      SHORT,
    ],
    [
      'one branch of tee()',
      '/short',
      (response) => new Response((response.body as ReadableStream).tee()[1]).text(),
      SHORT,
    ],
    [
      'a reader that stops at the last byte',
      '/short',
      async (response) =>
        (await (response.body as ReadableStream<Uint8Array>).getReader().read()).value?.length,
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
    const copy = response.clone();
    const lengths = await Promise.all([response, copy].map(async (one) => (await one.text()).length));
    expect(lengths).toEqual([8_000_000, 8_000_000]);
    expect(inUse()).toBe(0);
  });

  test('before code that awaits the body continues', async () => {
    const { get, inUse } = await limited();
    await (await get('/short')).text();
    expect(inUse()).toBe(0);
  });

  test('without a timer, if it is read at once', async () => {
    const clock = virtualClock({ startMs: 0 });
    const schedule = vi.spyOn(clock, 'schedule');
    const { get, inUse } = await limited(fetch, clock);
    for (let n = 0; n < 20; n += 1) expect(await (await get('/short')).text()).toBe(SHORT);
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
    await expect(response.text()).rejects.toThrow(TypeError);
    await expect(response.json()).rejects.toThrow(TypeError);
    expect(() => response.clone()).toThrow(TypeError);
    expect(inUse()).toBe(1);
    gate('open');
    expect(await reading).toBe('1234567890');
    expect(inUse()).toBe(0);
  });

  test('not when formData() rejects a body that is not a form, without reading it', async () => {
    const { get, bare, inUse } = await limited();
    const [response, plain] = [await get('/form'), await bare('/form')];
    await expect(response.formData()).rejects.toThrow(TypeError);
    await expect(plain.formData()).rejects.toThrow(TypeError);
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
    expect(response.bodyUsed).toBe(false);
    expect(await response.text()).toBe(SHORT);
  });

  test('at once for an error status', async () => {
    const { get, inUse, clock } = await limited();
    const response = await get('/404');
    expect(inUse()).toBe(1);
    await isFree(inUse);
    expect(clock.pending).toBe(0);
    expect(await response.text()).toBe(SHORT);
  });

  test('at once for 204', async () => {
    const { get, inUse } = await limited();
    await get('/204');
    expect(inUse()).toBe(0);
  });

  test('in the next turn of the event loop if it has no bytes', async () => {
    const { get, inUse, clock } = await limited();
    const response = await get('/empty');
    await new Promise(setImmediate);
    expect(inUse()).toBe(0);
    expect(clock.pending).toBe(0);
    expect(await response.text()).toBe('');
  });

  test('at once for HEAD', async () => {
    const { get, inUse } = await limited();
    await get('/short', { method: 'HEAD' });
    expect(inUse()).toBe(0);
  });

  test('if it is long, when it is cancelled', async () => {
    const { get, inUse, clock } = await limited();
    const response = await get('/long');
    await clock.advance(1_100);
    await clock.advance(6_000);
    expect(inUse()).toBe(1);
    await response.body?.cancel();
    expect(inUse()).toBe(0);
  });

  test('if it is long, and it is whole when read after the check', async () => {
    const { get, inUse, clock } = await limited();
    const response = await get('/long');
    const { body } = response;
    await clock.advance(1_100);
    await clock.advance(6_000);
    expect((await new Response(body).arrayBuffer()).byteLength).toBe(8_000_000);
    await isFree(inUse);
  });

  test('when it has arrived, if that is within five seconds', async () => {
    const { get, inUse, clock, gate } = await limited();
    const response = await get('/gated');
    await clock.advance(1_100);
    expect(inUse()).toBe(1);
    gate('open');
    await isFree(inUse);
    expect(clock.pending).toBe(0);
    expect(await response.text()).toBe('1234567890');
  });

  test('if it arrives later, when it is read', async () => {
    const { get, inUse, clock, gate } = await limited();
    const response = await get('/gated');
    await clock.advance(1_100);
    await clock.advance(5_500);
    expect(clock.pending).toBe(0);
    gate('open');
    expect(inUse()).toBe(1);
    expect(await response.text()).toBe('1234567890');
    expect(inUse()).toBe(0);
  });

  test('also after `body` was accessed but not read', async () => {
    const { get, inUse, clock } = await limited();
    const response = await get('/short');
    expect(response.body).toBe(response.body);
    await clock.advance(1_100);
    await isFree(inUse);
    expect(await new Response(response.body).text()).toBe(SHORT);
  });

  test('also that of a clone', async () => {
    const { get, inUse, clock } = await limited();
    const response = await get('/short');
    const copy = response.clone();
    await clock.advance(1_100);
    await isFree(inUse);
    expect(await Promise.all([response.text(), copy.text()])).toEqual([SHORT, SHORT]);
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
  test('the body releases the slot, and the body is empty', async () => {
    const { get, inUse } = await limited();
    const response = await get('/long');
    await response.body?.cancel();
    expect(inUse()).toBe(0);
    expect(response.bodyUsed).toBe(true);
  });

  test('a reader of the body releases the slot', async () => {
    const { get, inUse } = await limited();
    const reader = (await get('/long')).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(inUse()).toBe(0);
  });

  test('one of two branches keeps the slot for the other', async () => {
    const { get, inUse } = await limited();
    const response = await get('/long');
    const copy = response.clone();
    void response.body?.cancel();
    await new Promise(setImmediate);
    expect(inUse()).toBe(1);
    expect((await copy.arrayBuffer()).byteLength).toBe(8_000_000);
    expect(inUse()).toBe(0);
  });

  test('both branches releases the slot', async () => {
    const { get, inUse } = await limited();
    const response = await get('/long');
    const copy = response.clone();
    await Promise.all([response.body?.cancel(), copy.body?.cancel()]);
    expect(inUse()).toBe(0);
  });

  test('while the body is read ahead releases the slot', async () => {
    const { get, inUse, clock } = await limited();
    const response = await get('/gated');
    await clock.advance(1_100);
    await response.body?.cancel();
    expect(inUse()).toBe(0);
    expect(clock.pending).toBe(0);
  });
});

describe('a body that breaks releases its slot', () => {
  test('during text(), with the error of baseFetch', async () => {
    const { get, bare, inUse, gate } = await limited();
    const response = await get('/gated');
    const text = response.text().catch((error: unknown) => error);
    gate('break');
    expect(inUse()).toBe(1);
    const broken = { name: 'TypeError', message: 'terminated', cause: { code: 'UND_ERR_SOCKET' } };
    expect(await text).toMatchObject(broken);
    expect(inUse()).toBe(0);
    const plain = (await bare('/gated')).text().catch((error: unknown) => error);
    gate('break');
    expect(await plain).toMatchObject(broken);
  });

  test('during a partial read', async () => {
    const { get, inUse, gate } = await limited();
    const reader = ((await get('/gated')).body as ReadableStream).getReader();
    await reader.read();
    const next = reader.read();
    gate('break');
    await expect(next).rejects.toThrow('terminated');
    await expect(reader.closed).rejects.toThrow('terminated');
    expect(inUse()).toBe(0);
  });

  test('with a reader that waits on `closed`, which rejects', async () => {
    const { get, inUse, gate } = await limited();
    const reader = ((await get('/gated')).body as ReadableStream).getReader();
    gate('break');
    await expect(reader.closed).rejects.toThrow('terminated');
    expect(inUse()).toBe(0);
  });

  test('unread', async () => {
    const { get, inUse, gate, clock } = await limited();
    const response = await get('/gated');
    await clock.advance(1_100);
    gate('break');
    await isFree(inUse);
    await expect(response.text()).rejects.toThrow('terminated');
  });

  test('by an abort, read or not', async () => {
    for (const isRead of [true, false]) {
      const { get, inUse } = await limited();
      const controller = new AbortController();
      const response = await get('/gated', { signal: controller.signal });
      const text = isRead && response.text().catch((error: unknown) => error);
      controller.abort(new Error('enough'));
      if (text) expect(await text).toBe(controller.signal.reason);
      expect(inUse()).toBe(0);
    }
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
