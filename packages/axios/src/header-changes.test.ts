import type { NextAttempt } from '@ebb/core';
import type { AxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../test/serve.ts';
import { atOnce, clientOf } from '../test/client.ts';
import { DOWN, UP } from '../test/steps.ts';

describe.each(['http', 'fetch'])('headers that beforeAttempt returns, over the %s adapter', (adapter) => {
  test('are sent with their attempt alone', async () => {
    const server = await serve(DOWN, DOWN, UP);
    const beforeAttempt = ({ attempt }: NextAttempt) =>
      attempt === 2
        ? undefined
        : { 'X-Attempt': String(attempt), AUTHORIZATION: `token ${attempt}`, 'x-gone': undefined };
    const headers = { authorization: 'mine', 'X-Gone': 'a', 'X-Own': 'b' };
    const response = await clientOf({ adapter }, { ...atOnce, beforeAttempt }).get(server.url, { headers });
    const names = ['x-attempt', 'authorization', 'x-gone', 'x-own'];
    expect(server.seen.map(({ headers }) => names.map((name) => headers[name]))).toEqual([
      ['1', 'token 1', undefined, 'b'],
      [undefined, 'mine', 'a', 'b'],
      ['3', 'token 3', undefined, 'b'],
    ]);
    const after = response.config.headers;
    expect(names.map((name) => after.get(name))).toEqual([undefined, 'mine', 'a', 'b']);
    expect(headers).toEqual({ authorization: 'mine', 'X-Gone': 'a', 'X-Own': 'b' });
  });

  test('stand in the config of neither a response nor an error', async () => {
    const beforeAttempt = () => ({ 'x-signature': 'secret' });
    for (const script of [[UP], [DOWN], ['reset' as const]]) {
      for (const maxRetries of [0, 1]) {
        const server = await serve(...script);
        const options = { ...atOnce, maxRetries, beforeAttempt };
        const result = await clientOf({ adapter }, options)
          .get(server.url)
          .catch((error: unknown) => error);
        const { config } = result as { config: AxiosRequestConfig };
        expect(JSON.stringify(config)).not.toContain('secret');
        expect(server.seen.every(({ headers }) => headers['x-signature'] === 'secret')).toBe(true);
        // The same config can be sent again.
        await clientOf({ adapter, validateStatus: null }, options)
          .request(config)
          .catch(() => undefined);
        expect(server.seen.at(-1)?.headers['x-signature']).toBe('secret');
      }
    }
  });
});
