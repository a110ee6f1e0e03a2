import { setImmediate } from 'node:timers/promises';
import { attemptsOf } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import axios, { type AxiosError, AxiosHeaders, CanceledError } from 'axios';
import { describe, expect, test, vi } from 'vitest';
import { serve } from '../../../test/serve.ts';
import { ok, unavailable } from '../test/adapters.ts';
import { watchEvents, waysToCancel } from '../test/cancel.ts';
import { clientOf, errorOf } from '../test/client.ts';
import { DOWN } from '../test/steps.ts';
import { asCanceled } from './cancel.ts';

const reason = new Error('enough');

describe('the error of an aborted request', () => {
  const config = { headers: new AxiosHeaders() };
  const canceled = (error: unknown) =>
    asCanceled(error, AbortSignal.abort(reason), config, undefined) as Error;

  test.each<[story: string, error: unknown]>([
    ['the reason', reason],
    ['an error with a response', Object.assign(new Error('no'), { response: {} })],
    ['a cancellation of axios', new CanceledError()],
  ])('%s becomes a CanceledError that has the reason as its cause', (_, error) => {
    const became = canceled(error);
    expect(became).toBeInstanceOf(CanceledError);
    expect(Object.getOwnPropertyDescriptor(became, 'cause')).toEqual({
      value: reason,
      ...{ writable: true, enumerable: false, configurable: true },
    });
  });

  test.each<[story: string, error: Error]>([
    ['without a response', new Error('no')],
    ['of axios with a cause of its own', Object.assign(new CanceledError(), { cause: 'own' })],
  ])('an error %s stays', (_, error) => {
    const { cause } = error;
    expect(canceled(error)).toBe(error);
    expect(error.cause).toBe(cause);
  });
});

describe.each(waysToCancel)(
  'a request canceled by its %s rejects with axios’s CanceledError',
  (way, make) => {
    const isToken = way.startsWith('cancelToken');
    const expectCanceled = (error: AxiosError) => {
      expect(axios.isCancel(error)).toBe(true);
      expect(error).toBeInstanceOf(axios.CanceledError);
      expect([error.name, error.code]).toEqual(['CanceledError', 'ERR_CANCELED']);
      if (isToken) expect(error.message).toBe('enough');
      else expect(error.cause).toBe(reason);
    };

    test('before it is sent', async () => {
      const adapter = vi.fn(ok);
      const { config, abort, listeners } = make();
      abort(reason);
      const error = await errorOf(clientOf({ adapter }).get('/', config));
      expect(axios.isCancel(error)).toBe(true);
      expect([adapter.mock.calls.length, listeners()]).toEqual([0, 0]);
    });

    test('during the delay before a retry, at once', async () => {
      const clock = virtualClock({ startMs: 0 });
      const adapter = vi.fn(unavailable);
      const { onEvent, next } = watchEvents();
      const { config, abort, listeners } = make();
      const waiting = next('retry');
      const response = clientOf({ adapter }, { clock, onEvent }).get('http://upstream/', config);
      await waiting;
      await setImmediate();
      expect([listeners() > 0, clock.pending]).toEqual([true, 1]);
      const settled = vi.fn();
      response.catch(settled);
      abort(reason);
      await setImmediate();
      expect(settled).toHaveBeenCalled();
      const error = await errorOf(response);
      expectCanceled(error);
      if (!isToken) expect(error.config?.url).toBe('http://upstream/');
      expect(attemptsOf(error)).toMatchObject([{ status: 503, reason: 'transient' }]);
      expect([adapter.mock.calls.length, clock.pending, listeners()]).toEqual([1, 0, 0]);
    });

    test.each(['http', 'fetch'])('during an attempt of the %s adapter', async (adapter) => {
      const server = await serve(DOWN, 'hang');
      const hangs = new Promise<void>((resolve) => {
        server.onHang = resolve;
      });
      const { config, abort, listeners } = make();
      const response = clientOf({ adapter }).get(server.url, config);
      await hangs;
      abort(reason);
      const error = await errorOf(response);
      expectCanceled(error);
      expect(attemptsOf(error)).toMatchObject([{ status: 503 }, { failure: 'aborted', reason: 'aborted' }]);
      await setImmediate();
      expect([server.seen.length, listeners()]).toEqual([2, 0]);
    });

    test('while its body factory runs', async () => {
      const adapter = vi.fn(ok);
      const { config, abort } = make();
      const response = clientOf({ adapter }).put(
        '/',
        async () => {
          abort(reason);
          await setImmediate();
          return 'text';
        },
        config,
      );
      expectCanceled(await errorOf(response));
      expect(adapter).not.toHaveBeenCalled();
    });
  },
);
