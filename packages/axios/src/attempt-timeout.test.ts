import { once } from 'node:events';
import { Agent, createServer } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { attemptsOf } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import axios, { type AxiosAdapter, AxiosError, type AxiosRequestConfig } from 'axios';
import { expect, test, vi } from 'vitest';
import { serve } from '../../../test/serve.ts';
import { ok } from '../test/adapters.ts';
import { listenersOn } from '../test/cancel.ts';
import { atOnce, clientOf, errorOf } from '../test/client.ts';
import { afterTest, listen } from '../test/servers.ts';
import { UP } from '../test/steps.ts';

/** An adapter that never settles, and ignores tokens. */
const never: AxiosAdapter = () => new Promise(() => undefined);

test('attemptTimeoutMs ends a body that trickles, which axios’s own timeout does not', async () => {
  const clock = virtualClock({ startMs: 0 });
  let written = 0;
  const url = await listen(
    createServer((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => {
        response.write('x');
        written += 1;
        // By then the body has trickled for longer than axios's own timeout.
        if (written === 100) clock.tick(60_000);
      }, 5);
      response.on('close', () => clearInterval(timer));
    }),
  );
  const options = { clock, attemptTimeoutMs: 60_000, maxRetries: 0 };
  const error = await errorOf(clientOf({ adapter: 'http', timeout: 400 }, options).get(url));
  expect([error.message, attemptsOf(error)[0]?.failure]).toEqual(['timeout of 60000ms exceeded', 'timeout']);
});

test.each<[AxiosRequestConfig, code: string, message: string]>([
  [{}, 'ECONNABORTED', 'timeout of 50ms exceeded'],
  [{ transitional: { clarifyTimeoutError: true } }, 'ETIMEDOUT', 'timeout of 50ms exceeded'],
  [{ timeoutErrorMessage: 'too slow' }, 'ECONNABORTED', 'too slow'],
])('the error is the same as for axios’s timeout: %j', async (config, code, message) => {
  const clock = virtualClock({ startMs: 0 });
  const options = { ...atOnce, clock, attemptTimeoutMs: 50, maxRetries: 1 };
  const response = clientOf({ adapter: never, ...config }, options).get('/', { headers: { a: 'b' } });
  const failure = errorOf(response);
  await clock.advance(100);
  const error = await failure;
  expect(error).toBeInstanceOf(AxiosError);
  expect(error).toMatchObject({ code, message });
  expect(error.config?.headers.get('a')).toBe('b');
  expect(attemptsOf(error).map(({ failure }) => failure)).toEqual(['timeout', 'timeout']);
});

test('the caller’s own cancelToken is restored, and still cancels', async () => {
  const server = await serve('hang', 'hang', UP);
  const { token, cancel } = axios.CancelToken.source();
  const clock = virtualClock({ startMs: 0 });
  const client = clientOf({ adapter: 'http' }, { ...atOnce, clock, attemptTimeoutMs: 50 });
  const response = client.get(server.url, { cancelToken: token });
  while (server.seen.length < 1) await setImmediate();
  await clock.advance(50);
  while (server.seen.length < 2) await setImmediate();
  await clock.advance(50);
  expect((await response).config.cancelToken).toBe(token);
  expect(listenersOn(token)).toBe(0);
  const down = await serve('hang');
  const canceled = client.get(down.url, { cancelToken: token });
  while (down.seen.length < 1) await setImmediate();
  cancel('enough');
  expect(await errorOf(canceled)).toMatchObject({ code: 'ERR_CANCELED', message: 'enough' });
  expect(clock.pending).toBe(0);
});

test('a late response of an adapter that ignores cancelToken is discarded', async () => {
  const clock = virtualClock({ startMs: 0 });
  const server = await serve({ status: 200, body: 'x'.repeat(64 * 1024) });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  afterTest(() => agent.destroy());
  const late: ReturnType<AxiosAdapter>[] = [];
  const adapter = vi.fn<AxiosAdapter>(async ({ cancelToken, ...deaf }) => {
    if (adapter.mock.calls.length > 1) return ok(deaf);
    late.push(axios.getAdapter('http')(deaf));
    await new Promise<void>((resolve) => clock.schedule(resolve, 100));
    return late[0] as ReturnType<AxiosAdapter>;
  });
  const client = clientOf(
    { adapter, responseType: 'stream', httpAgent: agent },
    { ...atOnce, clock, attemptTimeoutMs: 50 },
  );
  const response = client.get(server.url);
  await clock.advance(50);
  expect((await response).status).toBe(200);
  const { data } = (await late[0]) ?? {};
  const ended = once(data, 'end');
  await clock.advance(50);
  await ended;
  await setImmediate();
  expect(clock.pending).toBe(0);
});

test('the CancelToken of the adapter forwards that of the caller, and calls no listener that has left', async () => {
  const clock = virtualClock({ startMs: 0 });
  const { token, cancel } = axios.CancelToken.source();
  const left = vi.fn();
  const adapter: AxiosAdapter = async ({ cancelToken }) => {
    cancelToken?.subscribe(left);
    cancelToken?.unsubscribe(left);
    await new Promise((resolve) => cancelToken?.subscribe(resolve));
    if (cancelToken?.reason === undefined) expect(() => cancelToken?.throwIfRequested()).toThrow('enough');
    throw cancelToken?.reason ?? token.reason;
  };
  const client = clientOf({ adapter }, { ...atOnce, clock, attemptTimeoutMs: 50, maxRetries: 1 });
  const failure = errorOf(client.get('/', { cancelToken: token }));
  await clock.advance(50);
  cancel('enough');
  const error = await failure;
  expect(error).toMatchObject({ code: 'ERR_CANCELED', message: 'enough' });
  expect(attemptsOf(error).map(({ failure }) => failure)).toEqual(['timeout', 'aborted']);
  // The reason of the token is the error itself.
  expect(error.cause).toBeUndefined();
  expect([left.mock.calls.length, listenersOn(token), clock.pending]).toEqual([0, 0, 0]);
});
