import { constant, type PolicyOptions, tokenBucket } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../../test/serve.ts';
import type { Step } from '../../../../test/server.ts';
import { createFetch } from '../index.ts';

/** A bucket with one token: no retry is sent. */
const options = (): PolicyOptions => ({
  backoff: constant(0),
  bucket: tokenBucket({ capacity: 1, refillPerSecond: 1e-9, nonConforming: 'reject' }),
});
const long = (bytes: number): Step => ({ status: 503, body: 'x'.repeat(bytes) });

describe('a retry that is not sent ends with the previous response', () => {
  test('of a mock that can be made only once, whose body is then used', async () => {
    const mock = { status: 503, body: new Response('down').body, constructor: undefined };
    expect(await createFetch(options(), async () => mock as never)('https://mock.invalid/')).toBe(mock);
  });

  test.each<[string, (response: Response) => unknown]>([
    ['text()', (response) => response.text()],
    ['json()', (response) => response.json()],
    ['a reader', (response) => response.body?.getReader().read()],
    ['a clone', (response) => response.clone().text()],
    ['new Response(body)', (response) => new Response(response.body).text()],
  ])('but one that is too long to keep says so to who reads it: %s', async (_, read) => {
    const server = await serve(long(65_537), { status: 200 });
    const response = await createFetch(options())(server.url);
    expect(response).toBeInstanceOf(Response);
    expect(response.status).toBe(503);
    await expect(read(response)).rejects.toThrow('longer than 64 KiB, or did not end in time');
  });
});
