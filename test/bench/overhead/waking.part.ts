import { setTimeout as pause } from 'node:timers/promises';
import { watchTurns } from '../measure/held.ts';
import type { Part } from '../measure/part.ts';
import { looping } from '../ours/loops.ts';
import { subjectOf, subjectsOf } from '../ours/subjects.ts';
import type { Fetch } from '../rivals/rival.ts';

const REQUESTS = 100_000;
/** Long enough that the turn of the failures has ended before anyone wakes. */
const DELAY_MS = 4_000;
const LOOP = 'the shortest loop';

function loop(send: Fetch, delayMs: number): Fetch {
  return (url) => looping(() => send(url), delayMs)(0);
}

export default {
  title: '100,000 requests in backoff that wake at once',
  note:
    'All fail in the same turn of the event loop, wait equally long, and then succeed. The longest turn afterwards, in which ' +
    'nothing else runs; and the time until the last request has succeeded.',
  columns: [
    { title: 'longest turn, ms', value: ({ longestMs = 0 }) => longestMs, spread: true },
    { title: 'all done after, ms', value: ({ doneMs = 0 }) => doneMs, spread: true },
  ],
  async rows() {
    const retrying = [...(await subjectsOf('fetch'))].filter(([, subject]) => subject.retrying !== undefined);
    return [LOOP, ...retrying.map(([name]) => name)].map((name) => ({ group: '', name }));
  },
  async measure({ name }) {
    const retrying = name === LOOP ? loop : (await subjectOf('fetch', name)).retrying;
    if (retrying === undefined) throw new Error(`${name} does not retry`);
    const gate = Promise.withResolvers<void>();
    let sent = 0;
    let firstWokeMs = 0;
    const upstream: Fetch = async () => {
      sent += 1;
      if (sent <= REQUESTS) return gate.promise.then(() => new Response(null, { status: 503 }));
      firstWokeMs ||= performance.now();
      return new Response(null, { status: 200 });
    };
    const send = retrying(upstream, DELAY_MS);
    let done = 0;
    const calls = Promise.all(
      Array.from({ length: REQUESTS }, async () => {
        const { status } = await send('http://upstream.test/');
        if (status === 200) done += 1;
      }),
    );
    // ky sends some turns after it is called.
    while (sent < REQUESTS) await pause(10);
    const failedMs = performance.now();
    gate.resolve();
    await pause(DELAY_MS / 2);
    if (sent > REQUESTS) throw new Error(`${name} woke ${performance.now() - failedMs} ms after the failure`);
    const longest = watchTurns();
    await calls;
    const longestMs = longest();
    if (done !== REQUESTS) throw new Error(`${name}: only ${done} succeeded`);
    return { longestMs, doneMs: performance.now() - firstWokeMs };
  },
} satisfies Part;
