import { Readable } from 'node:stream';
import { attemptsOf, concurrencyLimit, type Limit, type PolicyOptions, tokenBucket } from '@ebb/core';
import axios, { type AxiosAdapter, AxiosError } from 'axios';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../test/serve.ts';
import { turns } from '../../../test/until.ts';
import { ok, unavailable } from '../test/adapters.ts';
import { watchEvents } from '../test/cancel.ts';
import { clientOf, errorOf } from '../test/client.ts';
import { UP } from '../test/steps.ts';

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
});

// axios's http adapter sends a request whose signal has aborted before.
describe.each(['http', 'fetch'])('an abort right before the send, over the %s adapter', (adapter) => {
  const enough = new Error('enough');
  test.each<[where: string, options: (abort: () => void) => PolicyOptions]>([
    ['an observer', (abort) => ({ onEvent: ({ type }) => type === 'attempt' && abort() })],
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
