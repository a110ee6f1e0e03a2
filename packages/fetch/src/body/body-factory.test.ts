import { attemptsOf, constant, HookError, type PolicyOptions } from '@ebb/core';
import { describe, expect, test, vi } from 'vitest';
import { refusingUrl } from '../../../../test/refusing.ts';
import { kinds, type Open } from '../../../undici/test/uploads.ts';
import { serveWith } from '../../test/serve-with.ts';
import { createFetch } from '../index.ts';

const isWeb = process.env.EBB_PLATFORM === 'web';

const options: PolicyOptions = { backoff: constant(0), maxRetries: 2 };

test.each<[story: string, error: unknown]>([
  // Its cause may say that a connection of its own was refused.
  ['of a body factory', new HookError('body', Object.assign(new Error('no'), { code: 'ECONNREFUSED' }))],
  ['that looks like an abort', new DOMException('aborted', 'AbortError')],
])('an error %s is no failure of the connection', async (_, error) => {
  const client = createFetch(options, () => Promise.reject(error));
  const thrown = await client('http://upstream/').catch((one: unknown) => one);
  expect(attemptsOf(thrown)).toMatchObject([{ failure: 'unknown', reason: 'final' }]);
});

describe.each(kinds)('what a factory has made is closed: %s', (_, make) => {
  /** A factory, and the `closed` of all bodies that it has made. */
  function recording() {
    const made: Open[] = [];
    const body = () => (made[made.push(make()) - 1] as Open).body as never;
    const allClosed = async (times: number) => {
      await expect.poll(() => made.length).toBe(times);
      await Promise.all(made.map(({ closed }) => closed));
    };
    return { body, allClosed };
  }

  test('when the connection is refused, on each attempt', async () => {
    const { body, allClosed } = recording();
    const call = createFetch(options)(await refusingUrl(), { method: 'PUT', body });
    await expect(call).rejects.toThrow('fetch failed');
    await allClosed(3);
  });

  // Browsers do not watch the bodies of responses.
  test.skipIf(isWeb).each([
    [503, 3],
    [413, 1],
  ])(
    'when a %i comes before the upload is done, on each attempt, and the last is whole',
    async (status, times) => {
      const { body, allClosed } = recording();
      const { url } = await serveWith((_request, response) => {
        response.writeHead(status, { connection: 'close' }).end('early');
      });
      const response = await createFetch(options)(url, { method: 'PUT', body });
      await allClosed(times);
      expect([response.status, await response.text()]).toEqual([status, 'early']);
    },
  );

  test('when the caller aborts', async () => {
    const { body, allClosed } = recording();
    const controller = new AbortController();
    const { url } = await serveWith((request) =>
      request.once('data', () => controller.abort(new Error('enough'))),
    );
    const call = createFetch(options)(url, { method: 'PUT', body, signal: controller.signal });
    await expect(call).rejects.toThrow('enough');
    await allClosed(1);
  });

  test('when the factory resolves only after the caller has aborted, and nothing is sent', async () => {
    const { body, allClosed } = recording();
    const controller = new AbortController();
    const gate = Promise.withResolvers<void>();
    const base = vi.fn(fetch);
    const init = { method: 'PUT', body: () => gate.promise.then(body), signal: controller.signal };
    const call = createFetch(options, base)('http://upstream/', init);
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    gate.resolve();
    await allClosed(1);
    expect(base).not.toHaveBeenCalled();
  });
});
