import { createReadStream } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { NotSentError, type PolicyOptions, tokenBucket } from '@ebb/core';
import axios from 'axios';
import FormDataPackage from 'form-data';
import { describe, expect, test, vi } from 'vitest';
import { ok } from '../../test/adapters.ts';
import { openStream } from '../../test/bodies.ts';
import { atOnce, clientOf, errorOf } from '../../test/client.ts';

/** Uploads of each kind, and whether they were closed. */
const uploads: [kind: string, make: () => { data: unknown; isClosed: () => boolean }][] = [
  [
    'a Node stream',
    () => {
      const data = openStream();
      return { data, isClosed: () => data.destroyed };
    },
  ],
  [
    'a web stream',
    () => {
      const cancel = vi.fn();
      return { data: new ReadableStream({ cancel }), isClosed: () => cancel.mock.calls.length === 1 };
    },
  ],
  [
    'an iterator',
    () => {
      let isClosed = false;
      const data = (async function* () {
        try {
          yield 'text';
        } finally {
          isClosed = true;
        }
      })();
      void data.next();
      return { data, isClosed: () => isClosed };
    },
  ],
  [
    'a form with a stream in it',
    () => {
      const file = openStream();
      const data = new FormDataPackage();
      data.append('file', file, { filename: 'a' });
      return { data, isClosed: () => file.destroyed };
    },
  ],
];

describe.each(uploads)('an upload of %s is closed if it is not sent', (_, make) => {
  const setup = (options: PolicyOptions) => {
    const adapter = vi.fn(ok);
    const client = clientOf({ adapter, transformRequest: [] }, { ...atOnce, ...options });
    return { adapter, client, ...make() };
  };

  test('after an abort while it waits for a token', async () => {
    const bucket = tokenBucket({ capacity: 1, refillPerSecond: 0.001 });
    bucket.tryAcquire();
    const { client, adapter, data, isClosed } = setup({ bucket });
    const controller = new AbortController();
    const error = errorOf(client.put('/', data, { signal: controller.signal }));
    while (bucket.stats().waiting === 0) await setImmediate();
    expect(isClosed()).toBe(false);
    controller.abort();
    expect(await error).toBeInstanceOf(axios.CanceledError);
    await setImmediate();
    expect([isClosed(), adapter.mock.calls.length]).toEqual([true, 0]);
  });

  test('after the bucket has refused it', async () => {
    const bucket = tokenBucket({ capacity: 1, refillPerSecond: 0.001, nonConforming: 'reject' });
    bucket.tryAcquire();
    const { client, data, isClosed } = setup({ bucket });
    expect(await errorOf(client.put('/', data))).toBeInstanceOf(NotSentError);
    await setImmediate();
    expect(isClosed()).toBe(true);
  });
});

test('a replayable body that is not sent is left alone', async () => {
  const bucket = tokenBucket({ capacity: 1, refillPerSecond: 0.001, nonConforming: 'reject' });
  bucket.tryAcquire();
  const error = await errorOf(clientOf({ adapter: ok }, { bucket }).put('/', { a: 1 }));
  expect(error).toBeInstanceOf(NotSentError);
});

test('a form whose file cannot be opened ends its wait with that error', async () => {
  const bucket = tokenBucket({ capacity: 1, refillPerSecond: 0.001, initialTokens: 0 });
  const adapter = vi.fn(ok);
  const data = new FormDataPackage();
  data.append('file', createReadStream('/missing/file'), { filename: 'a', knownLength: 1 });
  const error = await errorOf(clientOf({ adapter }, { bucket }).put('/', data));
  expect(error).toMatchObject({ code: 'ENOENT' });
  expect([bucket.stats().waiting, adapter.mock.calls.length]).toEqual([0, 0]);
});
