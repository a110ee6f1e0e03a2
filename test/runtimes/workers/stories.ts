// Bundled and run in workers: imports nothing from Node.
import { concurrencyLimit, createPolicy, tokenBucket } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { hedged } from '@ebb/hedge/fetch';

/** Requests to the worker that meet. @param step what one of them does */
type Story = (step: string, origin: string) => Promise<Response>;

/** A client with a bucket in the global scope, with a token each 200 ms. */
function limited() {
  const bucket = tokenBucket({ refillPerSecond: 5, capacity: 1, maxWaitMs: 5_000 });
  return { bucket, fetch: createFetch({ bucket }) };
}

const left = limited();
const aborted = limited();
const paused = limited();
const asked = limited();
const idle = limited();
const policy = createPolicy();
const hedging = createFetch(
  policy,
  hedged((input, init) => fetch(input, init), { policy, delayMs: 50, share: 1 }),
);

const lost = (call: Promise<Response>): Response => {
  call.catch(() => undefined);
  return new Response('left');
};

export const STORIES: Readonly<Record<string, Story>> = {
  async 'left in the queue'(step, origin) {
    const call = left.fetch(`${origin}/ok/left`);
    return step === 'leave' ? lost(call) : call;
  },

  async 'aborted in the queue'(step, origin) {
    const signal = step === 'abort' ? AbortSignal.timeout(50) : null;
    return aborted.fetch(`${origin}/ok/aborted`, { signal });
  },

  async 'refused by another request'(step, origin) {
    if (step === 'send') return paused.fetch(`${origin}/ok/paused`);
    paused.bucket.pauseFor(60_000);
    return new Response('paused');
  },

  'paused by the server': async (_, origin) => asked.fetch(`${origin}/pause`),

  async idle(step, origin) {
    if (step === 'send') return idle.fetch(`${origin}/ok/idle`);
    if (step === 'wait') await idle.bucket.idle();
    return new Response(`${idle.bucket.stats().waiting} wait`);
  },

  async 'a body that is not read'(step, origin) {
    const own = createFetch({ concurrency: concurrencyLimit({ maxConcurrent: 1 }) });
    const unread = await own(`${origin}/ok/unread`);
    if (step === 'leave') return new Response(`left with ${unread.status}`);
    return own(`${origin}/ok/unread`);
  },

  async 'hedges of a request that has ended'(step, origin) {
    const call = hedging(`${origin}/slow/${step}`);
    return step === 'leave' ? lost(call) : call;
  },
};
