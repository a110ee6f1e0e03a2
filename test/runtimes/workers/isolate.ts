// An isolate of durable-bucket.test.ts, which bundles it: its requests share a bucket in the global scope.

import { env, waitUntil } from 'cloudflare:workers';
import { createFetch } from '@ebb/fetch';
import { type DurableBucketOptions, durableBucket } from '@ebb/workers';
import { startTime } from './no-time.ts';

declare const OPTIONS: Omit<DurableBucketOptions, 'object' | 'waitUntil'>;

const bucket = durableBucket({
  ...OPTIONS,
  object: () => env.BUCKET.getByName('bucket'),
  waitUntil,
});
const send = createFetch({ bucket, maxRetries: 0 }, async () => new Response('sent'));
startTime();

const textOf = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'granted',
    (error: Error) => `${error.name} ${error.cause ?? ''}`,
  );

/** What a request to the worker does. */
const ACTS: Readonly<Record<string, (number: number, request: Request) => unknown>> = {
  /** Takes tokens one after the other for so many milliseconds, and tells when. */
  async load(durationMs) {
    const startMs = Date.now();
    const grants: number[] = [];
    while (Date.now() < startMs + durationMs && grants.length < 10_000) {
      await bucket.acquire();
      grants.push(Date.now());
    }
    return grants;
  },
  send: (number) =>
    Promise.all(Array.from({ length: number }, () => textOf(send('https://api.example.com/')))),
  take: (number) =>
    Promise.all(Array.from({ length: number }, () => textOf(bucket.acquire({ maxWaitMs: 2_000 })))),
  /** Ends before its tokens come. */
  leave(number) {
    for (let at = 0; at < number; at += 1) bucket.acquire().catch(() => undefined);
    return 'left';
  },
  stats: () => bucket.stats(),
};

export default {
  /** `/ACT/NUMBER` */
  async fetch(request: Request): Promise<Response> {
    const [, act = '', number] = new URL(request.url).pathname.split('/');
    return Response.json((await ACTS[act]?.(Number(number), request)) ?? null);
  },
};
