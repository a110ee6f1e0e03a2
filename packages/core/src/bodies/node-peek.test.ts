import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { NodePeek } from './node-peek.ts';

const textOf = (part: unknown): string => new TextDecoder().decode(part as Uint8Array);

/** A look at a stream, and what its caller gets. */
function lookAt(stream: Readable) {
  const before = stream.eventNames().length;
  const copies: unknown[] = [];
  const look = NodePeek.at(stream, (copy) => void copies.push(copy)) as NodePeek;
  return {
    look,
    copies,
    caller: () => (copies[0] ?? stream) as Readable,
    added: () => stream.eventNames().length - before,
  };
}

describe('there is no look at a stream', () => {
  const has = new PassThrough();
  const { ended } = { ended: false };

  test.each<[story: string, changes: object, isSeen: boolean]>([
    ['of Node', {}, false],
    ['without `unshift`', { unshift: undefined }, true],
    ['without `readableLength`', { readableLength: undefined }, true],
    ['without a state', { _readableState: undefined }, true],
    ['with another state', { _readableState: {} }, true],
    ['that flows', { readableFlowing: true }, true],
    ['that has ended', { readableEnded: true }, true],
    ['that has a reader', { listenerCount: () => 1 }, true],
    ['that cannot tell of readers', { listenerCount: undefined }, true],
  ])('%s: %j', (_, changes, isNone) => {
    const own = {
      unshift: has.unshift,
      readableLength: 0,
      _readableState: { ended },
      readableFlowing: null,
      readableEnded: false,
      listenerCount: (event: string) => (event === 'data' ? 0 : 1),
      on: () => undefined,
    };
    expect(NodePeek.at({ ...own, ...changes }, () => undefined) === undefined).toBe(isNone);
  });
});

describe('a look at a stream that goes on', () => {
  test('reads part by part, and puts them back in their order', async () => {
    const stream = new PassThrough();
    const { look, copies, added } = lookAt(stream);
    stream.write('ab');
    expect(textOf(await look.read())).toBe('ab');
    stream.write('cd');
    expect(textOf(await look.read())).toBe('cd');
    look.stop();
    expect([copies, added()]).toEqual([[], 0]);
    stream.end('ef');
    expect(await text(stream)).toBe('abcdef');
  });

  test('waits for the next part, and leaves no listener behind', async () => {
    const stream = new PassThrough();
    const { look, added } = lookAt(stream);
    const parts = ['ab', 'cd'];
    for (const part of parts) {
      const reading = look.read();
      await turn();
      stream.write(part);
      expect(textOf(await reading)).toBe(part);
    }
    expect(stream.listenerCount('readable')).toBe(1);
    look.stop();
    expect(added()).toBe(0);
    stream.end();
    expect(await text(stream)).toBe('abcd');
  });

  test('takes no more at once than the stream wants to hold', async () => {
    const stream = new PassThrough({ highWaterMark: 2 });
    stream.write('abc');
    const { look } = lookAt(stream);
    expect([textOf(await look.read()), textOf(await look.read())]).toEqual(['ab', 'c']);
    expect(stream.readableHighWaterMark).toBe(2);
    look.stop();
    stream.end();
    expect(await text(stream)).toBe('abc');
  });

  test('takes all there is of a stream that wants to hold nothing', async () => {
    const stream = new Readable({ highWaterMark: 0, read: () => undefined });
    stream.push('abc');
    const { look } = lookAt(stream);
    expect(textOf(await look.read())).toBe('abc');
    look.stop();
    stream.push(null);
    expect(await text(stream)).toBe('abc');
  });

  test('puts texts back as they were decoded', async () => {
    const stream = new PassThrough().setEncoding('hex');
    stream.write('ab');
    const { look } = lookAt(stream);
    expect(textOf(await look.read())).toBe('6162');
    look.stop();
    stream.end('c');
    expect(await text(stream)).toBe('616263');
  });

  test('reads objects one by one', async () => {
    const parts = [Buffer.from('ab'), 'cd', { other: true }];
    const stream = Readable.from(parts);
    const { look } = lookAt(stream);
    const seen: string[] = [];
    for (const _ of parts) seen.push(textOf(await look.read()));
    expect(seen).toEqual(['ab', 'cd', '']);
    look.stop();
    expect(await stream.toArray()).toEqual(parts);
  });
});

describe('a look at a stream that is over', () => {
  test('finds the end without its event, which the caller gets', async () => {
    const stream = new PassThrough().end('ab');
    await turn();
    const { look, copies } = lookAt(stream);
    expect(textOf(await look.read())).toBe('ab');
    expect(await look.read()).toBeUndefined();
    look.stop();
    expect([copies, stream.readableEnded]).toEqual([[], false]);
    expect(await text(stream)).toBe('ab');
  });

  test('is left with a copy if the end came during the look', async () => {
    const stream = new PassThrough().end('ab');
    const { look, copies, caller } = lookAt(stream);
    await look.read();
    expect(await look.read()).toBeUndefined();
    // As Node reads on for a new listener.
    stream.read(0);
    await turn();
    expect([stream.readableEnded, copies]).toEqual([true, []]);
    look.stop();
    expect(copies).toHaveLength(1);
    expect(await text(caller())).toBe('ab');
  });

  const broke = new Error('broke');
  const closed = 'The body of the response was closed before its end';

  test.each<[story: string, end: (stream: Readable) => unknown, message: string]>([
    ['fails', (stream) => stream.destroy(broke), 'broke'],
    ['is closed', (stream) => stream.destroy(), closed],
  ])('fails with the copy that the caller gets, if the stream %s', async (_, end, message) => {
    const stream = new PassThrough();
    const { look, copies, caller } = lookAt(stream);
    stream.write('ab');
    await look.read();
    const reading = look.read();
    await turn();
    stream.write('cd');
    end(stream);
    await expect(reading).rejects.toThrow(message);
    await expect(look.read()).rejects.toThrow(message);
    look.stop();
    expect(copies).toHaveLength(1);
    const parts: string[] = [];
    await expect(
      (async () => {
        for await (const part of caller()) parts.push(textOf(part));
      })(),
    ).rejects.toThrow(message);
    expect(parts).toEqual(['ab']);
  });

  test('tells the error of a stream that had failed before', async () => {
    const stream = new PassThrough().on('error', () => undefined);
    stream.destroy(broke);
    await turn();
    const { look } = lookAt(stream);
    await expect(look.read()).rejects.toBe(broke);
  });

  test('tells the first of several errors, and survives them all', async () => {
    const stream = new PassThrough();
    const { look } = lookAt(stream);
    const reading = look.read();
    await turn();
    stream.emit('error', broke);
    stream.emit('error', new Error('again'));
    await expect(reading).rejects.toBe(broke);
    look.stop();
    stream.emit('error', new Error('late'));
  });

  test('leaves the errors of a stream that goes on to the caller', () => {
    const stream = new PassThrough();
    lookAt(stream).look.stop();
    expect(() => stream.emit('error', broke)).toThrow(broke);
  });
});

describe('a watch on a stream', () => {
  function watch(stream: Readable, own = lookAt(stream)) {
    const told: string[] = [];
    const part = (given: unknown) => void told.push(textOf(given));
    own.look.watch({ part }, () => void told.push('ended'));
    return { ...own, told };
  }

  test('sees what the look has read, what is there, and what comes, while the caller reads the same', async () => {
    const stream = new PassThrough();
    const own = lookAt(stream);
    stream.write('ab');
    await own.look.read();
    stream.write('cd');
    const { told, copies } = watch(stream, own);
    expect(told).toEqual(['ab', 'cd']);
    stream.write('ef');
    stream.end();
    expect(await text(stream)).toBe('abcdef');
    await turn();
    expect([told.slice(0, 3), new Set(told.slice(3)), copies]).toEqual([
      ['ab', 'cd', 'ef'],
      new Set(['ended']),
      [],
    ]);
  });

  test('sees the parts of a stream with an encoding as they come', async () => {
    const stream = new Readable({ read: () => undefined }).setEncoding('utf8');
    const { told } = watch(stream);
    stream.push('6162', 'hex');
    stream.push(null);
    expect(await text(stream)).toBe('ab');
    expect(told[0]).toBe('6162');
  });

  test.each<[how: string, end: (stream: Readable) => unknown]>([
    ['is closed before its end', (stream) => stream.destroy()],
    ['ends and is not closed', (stream) => stream.resume().push(null)],
  ])('tells that the stream %s', async (_, end) => {
    const stream = new Readable({ read: () => undefined, autoDestroy: false });
    const { told } = watch(stream);
    end(stream);
    await turn();
    expect(told).toEqual(['ended']);
  });

  test.each<
    [story: string, end: (stream: PassThrough) => unknown, parts: string[], left: string | undefined]
  >([
    ['has arrived', (stream) => stream.end('ab'), ['ab'], 'ab'],
    ['has failed', (stream) => stream.destroy(new Error('broke')), [], undefined],
  ])('of which all that will come %s has ended at once', async (_, end, parts, left) => {
    const stream = new PassThrough().on('error', () => undefined);
    end(stream);
    await turn();
    const { told, caller } = watch(stream);
    expect(told).toEqual([...parts, 'ended']);
    if (left === undefined) await expect(text(caller())).rejects.toThrow('broke');
    else expect(await text(caller())).toBe(left);
  });
});
