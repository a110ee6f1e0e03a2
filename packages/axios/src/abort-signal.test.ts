import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import {
  attemptsOf,
  concurrencyLimit,
  type Limit,
  type Plugin,
  type PolicyOptions,
  tokenBucket,
} from '@ebb/core';
import axios, { type AxiosAdapter, AxiosError } from 'axios';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../test/serve.ts';
import { turns } from '../../../test/until.ts';
import { ok, unavailable } from '../test/adapters.ts';
import { listenersOf, watchEvents } from '../test/cancel.ts';
import { clientOf, errorOf } from '../test/client.ts';
import { DOWN, UP } from '../test/steps.ts';

const trusted = { trustedOrigins: (): boolean => true };

describe('an abort', () => {
  test.each([
    ['a string', 'enough'],
    ['undefined', undefined],
    ['a timeout', new DOMException('too late', 'TimeoutError')],
    ['an AxiosError', new AxiosError('mine', 'ECONNABORTED')],
  ])('with any reason rejects with a CanceledError whose cause it is: %s', async (_, reason) => {
    const { onEvent, next } = watchEvents();
    const controller = new AbortController();
    const waiting = next('retry');
    const response = clientOf({ adapter: unavailable }, { onEvent }).get('/', { signal: controller.signal });
    await waiting;
    controller.abort(reason);
    const error = await errorOf(response);
    expect(error).toBeInstanceOf(axios.CanceledError);
    expect(error.cause).toBe(controller.signal.reason);
    expect(Object.keys(error)).not.toContain('cause');
  });

  test('by the signal of a polyfill, which has no reason, rejects with a CanceledError', async () => {
    const target = new EventTarget();
    const signal = Object.assign(target, { aborted: false });
    const { onEvent, next } = watchEvents();
    const waiting = next('retry');
    const response = clientOf({ adapter: unavailable }, { onEvent }).get('/', { signal });
    await waiting;
    signal.aborted = true;
    target.dispatchEvent(new Event('abort'));
    expect(await errorOf(response)).toBeInstanceOf(axios.CanceledError);
  });

  test('ends a streamed response that the caller reads', async () => {
    const server = await serve(DOWN, 'held-200');
    const controller = new AbortController();
    const client = clientOf({ adapter: 'http', responseType: 'stream' });
    const { data } = await client.get(server.url, { signal: controller.signal });
    const reading = text(data);
    controller.abort();
    await expect(reading).rejects.toThrow('canceled');
    await setImmediate();
    expect(listenersOf(controller.signal)).toBe(0);
  });

  test('in the turn of the response rejects with a CanceledError that has the history', async () => {
    const controller = new AbortController();
    const ends: string[] = [];
    const adapter: AxiosAdapter = async (config) => {
      controller.abort(new Error('enough'));
      return ok(config);
    };
    const client = clientOf(
      { adapter },
      { onEvent: (event) => void (event.type === 'end' && ends.push(event.reason)) },
    );
    const error = await errorOf(client.get('/', { signal: controller.signal }));
    expect(error).toBeInstanceOf(axios.CanceledError);
    expect(error.cause).toBe(controller.signal.reason);
    expect(attemptsOf(error)).toMatchObject([{ failure: 'aborted', reason: 'aborted' }]);
    expect(ends).toEqual(['aborted']);
  });
});

describe('an abort in the turn of the response: the limits hear of the response', () => {
  const hearing = (heard: unknown[]): Limit => ({
    name: 'own',
    take: () => ({
      cancel: () => undefined,
      settle: (outcome) => void heard.push(outcome.type === 'response' ? outcome.status : outcome.kind),
    }),
  });

  test.each<[status: number, respond: AxiosAdapter]>([
    [200, ok],
    [503, unavailable],
    [
      429,
      async (config) => {
        const response = { ...(await ok(config)), status: 429 };
        throw new AxiosError('refused', 'ERR_BAD_REQUEST', config, {}, response);
      },
    ],
  ])('%i', async (status, respond) => {
    const heard: unknown[] = [];
    const bucket = tokenBucket({ capacity: 2, refillPerSecond: 1e-6 });
    const concurrency = concurrencyLimit({ maxConcurrent: 1 });
    const controller = new AbortController();
    const adapter: AxiosAdapter = (config) => {
      controller.abort(new Error('enough'));
      return respond(config);
    };
    const client = clientOf({ adapter }, { bucket, concurrency, limits: [hearing(heard)] });
    const error = await errorOf(client.get('/', { signal: controller.signal }));
    expect([error.code, error.cause]).toEqual(['ERR_CANCELED', controller.signal.reason]);
    expect(attemptsOf(error)).toMatchObject([{ failure: 'aborted', reason: 'aborted' }]);
    expect([heard, bucket.stats().tokens, concurrency.stats().inUse]).toEqual([
      [status],
      expect.closeTo(1, 2),
      0,
    ]);
  });

  test('also while a plugin looks into it', async () => {
    const heard: unknown[] = [];
    const controller = new AbortController();
    const judge = (): Promise<undefined> => {
      controller.abort();
      return new Promise(() => undefined);
    };
    const looking: Plugin = { name: 'looking', inspect: { judge } };
    const client = clientOf({ adapter: ok }, { plugins: [looking], limits: [hearing(heard)] });
    const error = await errorOf(client.get('/', { signal: controller.signal }));
    expect([error.code, heard]).toEqual(['ERR_CANCELED', [200]]);
  });
});

// axios's http adapter sends a request whose signal has aborted before.
describe.each(['http', 'fetch'])('an abort right before the send, over the %s adapter', (adapter) => {
  const enough = new Error('enough');
  test.each<[where: string, options: (abort: () => void) => PolicyOptions]>([
    ['an observer', (abort) => ({ onEvent: ({ type }) => type === 'attempt' && abort() })],
    [
      'wrapAttempt',
      (abort) => ({
        wrapAttempt(send) {
          abort();
          return send();
        },
      }),
    ],
    [
      'a function that returns a header',
      (abort) => ({ ...trusted, beforeAttempt: () => ({ a: abort as () => undefined }) }),
    ],
    ['middleware before it sends', (abort) => ({ middleware: [() => abort() as never] })],
  ])('%s: nothing is sent, and the upload is closed', async (_, options) => {
    const server = await serve(UP);
    const abort = new AbortController();
    const client = clientOf(
      { adapter },
      options(() => abort.abort(enough)),
    );
    const data = Readable.from(['x']);
    const error = await errorOf(client.post(server.url, data, { signal: abort.signal }));
    expect(error).toBeInstanceOf(axios.CanceledError);
    expect(error.cause).toBe(enough);
    await turns(10);
    expect([server.seen.length, data.destroyed]).toEqual([0, true]);
  });
});

describe('a signal that is aborted before the request', () => {
  test.each(['http', 'fetch'])(
    'by a transform rejects, and the %s adapter is not called',
    async (adapter) => {
      const server = await serve(UP);
      const bucket = tokenBucket({ capacity: 1, refillPerSecond: 0.001 });
      const run = (client: { put: typeof axios.put }, url: string) => {
        const controller = new AbortController();
        const { signal } = controller;
        const transformRequest = (data: unknown) => {
          controller.abort();
          return data;
        };
        return errorOf(client.put(url, 'text', { signal, transformRequest, adapter }));
      };
      for (const url of [server.url, 'foo://upstream/']) {
        const { name, message, code } = await run(clientOf({}, { bucket }), url);
        expect([name, message, code]).toEqual(['CanceledError', 'canceled', 'ERR_CANCELED']);
      }
      expect(server.seen).toEqual([]);
      expect(bucket.stats().granted).toBe(0);
    },
  );
});
