import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import { constant, type PolicyOptions } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios from 'axios';
import { Agent, request } from 'undici';
import { describe, expect, test } from 'vitest';
import { serve } from './serve.ts';
import { turns } from './until.ts';

interface Report {
  readonly hits: number;
  readonly results: Readonly<
    Record<string, { readonly error: string; readonly isClosed: boolean; readonly isFree: boolean }>
  >;
}

test('a file that cannot be opened, before it is sent, rejects its call, and does not end the process', async () => {
  const args = ['--conditions=@ebb/source', join(import.meta.dirname, 'lost-uploads.ts')];
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 50_000 });
  const { hits, results } = JSON.parse(stdout) as Report;
  const wrong = Object.entries(results).filter(([name, { isClosed, isFree, error }]) => {
    const isRight = name.includes('nothing') ? error !== 'late' : error === 'ENOENT';
    return !isClosed || !isFree || !isRight;
  });
  expect(wrong).toEqual([]);
  expect([hits, Object.keys(results).length]).toEqual([0, 28]);
});

/** Returns the status, also that of an error of axios. */
const sends: Readonly<
  Record<string, (url: string, body: () => Readable, policy: PolicyOptions) => Promise<number>>
> = {
  fetch: async (url, body, policy) =>
    (await createFetch(policy)(url, { method: 'PUT', body: body as never })).status,
  axios: async (url, data, policy) => {
    const client = axios.create({ validateStatus: () => true });
    client.interceptors.request.use(ebbAxios(policy));
    return (await client.put(url, data)).status;
  },
  undici: async (url, body, policy) => {
    const dispatcher = new Agent().compose(ebbUndici(policy));
    const response = await request(url, { method: 'PUT', body, dispatcher });
    await response.body.dump();
    return response.statusCode;
  },
};

describe.each(Object.entries(sends))(
  '%s: a body that a function makes too late to be sent is closed',
  (_, send) => {
    test.each<
      [
        what: string,
        options: PolicyOptions,
        tookMs: readonly number[],
        hits: number,
        status: number | undefined,
      ]
    >([
      ['by attemptTimeoutMs', { attemptTimeoutMs: 50, maxRetries: 0 }, [50], 0, undefined],
      ['by totalTimeoutMs', { totalTimeoutMs: 100 }, [200], 0, undefined],
      ['by attemptTimeoutMs, for a retry', { attemptTimeoutMs: 50, maxRetries: 1 }, [0, 50], 1, undefined],
      ['by totalTimeoutMs, for a retry', { totalTimeoutMs: 100 }, [0, 200], 1, 503],
      [
        'by totalTimeoutMs, for a retry of a success',
        { totalTimeoutMs: 100, classify: () => 'transient' },
        [0, 200],
        1,
        200,
      ],
      [
        'by attemptTimeoutMs, before a retry that is sent',
        { attemptTimeoutMs: 50, maxRetries: 1 },
        [50, 0],
        1,
        503,
      ],
    ])('%s', async (_what, options, tookMs, hits, status) => {
      const clock = virtualClock({ startMs: 0 });
      const server = await serve({ status: status ?? 503 });
      const made: Readable[] = [];
      const make = (): Readable => {
        clock.tick(tookMs[made.length] ?? 0);
        const body = Readable.from([Buffer.from('text')]);
        made.push(body);
        return body;
      };
      const sent = send(server.url, make, { clock, backoff: constant(0), ...options });
      expect(await sent.catch(() => undefined)).toBe(status);
      await turns(5);
      expect([made.map(({ destroyed }) => destroyed), server.seen.length]).toEqual([
        tookMs.map(() => true),
        hits,
      ]);
    });
  },
);
