import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { Upload } from './upload.ts';

const running = { over: false };

/** Of a stream of Node that has nothing. */
function read(this: Readable): void {
  this.push(null);
}

/** A web stream of one part, and what has become of it. */
function stream() {
  const seen: string[] = [];
  const body = new ReadableStream(
    {
      pull(controller) {
        seen.push('pulled');
        if (seen.length > 1) controller.close();
        else controller.enqueue(new Uint8Array(1));
      },
      cancel: () => void seen.push('cancelled'),
    },
    { highWaterMark: 0 },
  );
  return { body, seen };
}

/** The upload of an attempt, with the body that its factory has made. */
async function made(body: unknown): Promise<Upload> {
  const upload = new Upload(() => body as never, undefined);
  await upload.make(running);
  return upload;
}

describe('the body that a factory has made', () => {
  test('is open from the attempt that sends it to its end', async () => {
    const { body, seen } = stream();
    const upload = await made(body);
    expect(upload.isOpen).toBe(false);
    const taken = upload.takeBody();
    expect([upload.isOpen, taken?.duplex, seen]).toEqual([true, 'half', []]);
    await new Response(taken?.body).text();
    expect(upload.isOpen).toBe(false);
  });

  test('is closed with its attempt, and is open no longer', async () => {
    const { body, seen } = stream();
    const upload = await made(body);
    upload.takeBody();
    upload.endAttempt();
    expect([upload.isOpen, seen, upload.takeBody()]).toEqual([false, ['cancelled'], undefined]);
  });

  test('is not open for the attempt after it, before that has taken one', async () => {
    const upload = new Upload(() => Readable.from(['text']) as never, undefined);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await upload.make(running);
      expect(upload.isOpen).toBe(false);
      upload.takeBody();
    }
  });

  test.each<[story: string, body: () => unknown, isOpen: boolean]>([
    ['a text', () => 'text', false],
    ['a stream of Node', () => Readable.from(['text']), true],
    ['one that was read to its end', () => new Readable({ autoDestroy: false, read }).resume(), false],
    ['one that is destroyed', () => Readable.from(['text']).destroy(), false],
    ['a generator', () => (async function* () {})(), true],
  ])('%s', async (_, make, isOpen) => {
    const upload = await made(make());
    upload.takeBody();
    await new Promise(setImmediate);
    expect(upload.isOpen).toBe(isOpen);
  });

  test('is closed at once if it comes after the attempt', async () => {
    const { body, seen } = stream();
    const upload = new Upload(() => body, undefined);
    await upload.make({ over: true });
    expect([seen, upload.takeBody()]).toEqual([['cancelled'], undefined]);
  });
});

describe('the body of a Request', () => {
  const request = () => new Request('http://upstream/', { method: 'PUT', body: 'text' });

  test('can be sent again once it has been copied', async () => {
    const upload = new Upload(undefined, request());
    expect([upload.replayable, upload.isMade, upload.takeBody()]).toEqual([false, false, undefined]);
    await upload.keep();
    expect(upload.replayable).toBe(true);
    expect(await new Response(upload.takeBody()?.body).text()).toBe('text');
  });

  test('that was used is not copied', async () => {
    const used = request();
    await used.text();
    const upload = new Upload(undefined, used);
    await upload.keep();
    expect(upload.replayable).toBe(false);
  });

  test('there is none to copy beside a body of the init', async () => {
    const upload = new Upload('text', undefined);
    await upload.keep();
    expect([upload.replayable, upload.takeBody()]).toEqual([true, undefined]);
  });
});
