import { attemptsOf, constant, type EbbEvent, serverFeedback, tokenBucket } from '@ebb/core';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { refusingPort } from '../../../test/refusing.ts';
import { versions } from '../test/clients.ts';
import { type Answer, upstream } from '../test/upstream.ts';
import { ebbInterceptor } from './index.ts';

/** Does its work at `/charge`, and redirects to a target that fails. */
function charging(status: number, receipt: () => string): Answer {
  return (response, { path }) => {
    if (path === '/charge') response.writeHead(status, { location: receipt() }).end('done');
    else response.writeHead(429, { 'retry-after': '0' }).end('later');
  };
}

const places: readonly (readonly [string, (origin: string) => Promise<string>])[] = [
  ['responds 429', async () => '/receipt'],
  ['refuses the connection', async () => `http://127.0.0.1:${await refusingPort()}/receipt`],
  ['has no DNS name', async () => 'http://receipt.invalid/'],
];

describe.each(Object.entries(versions))('redirects below, of %s', (_, undici) => {
  const { Agent, interceptors, request } = undici;

  function dispatcherOf(base: Dispatcher, events: EbbEvent[] = []): Dispatcher {
    const onEvent = (event: EbbEvent): unknown => events.push(event);
    return base.compose(
      interceptors.redirect({ maxRedirections: 3 }),
      ebbInterceptor({ maxRetries: 2, backoff: constant(0), onEvent }),
    );
  }

  const charges = places.flatMap(([name, place]) => [
    ['POST', name, 1, place] as const,
    ['PUT', name, 3, place] as const,
  ]);

  test.each(charges)(
    'a %s that was processed, if the redirect target %s, is sent %i times',
    async (method, _name, times, place) => {
      let receipt = '';
      await using server = await upstream(charging(303, () => receipt));
      receipt = await place(new URL(server.url).origin);
      const agent = new Agent();
      const events: EbbEvent[] = [];
      const dispatcher = dispatcherOf(agent, events);
      await request(`${server.url}charge`, { method, body: 'money', dispatcher }).then(
        async ({ statusCode, body }) => {
          expect([statusCode, await body.text()]).toEqual([429, 'later']);
        },
        (error: { code: string }) => expect(error.code).toMatch(/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/),
      );
      expect(server.seen.filter(({ path }) => path === '/charge')).toHaveLength(times);
      const reason = method === 'POST' ? 'not-idempotent' : 'retries-exhausted';
      expect(events.at(-1)).toMatchObject({ type: 'end', reason });
      await agent.destroy();
    },
  );

  test('the quota of the target does not close the bucket of the first origin', async () => {
    await using other = await upstream((response) => {
      response.writeHead(200, { 'ratelimit-remaining': '0', 'ratelimit-reset': '600' }).end('ok');
    });
    await using server = await upstream((response, { path }) => {
      if (path === '/moved') response.writeHead(302, { location: `${other.url}there` }).end();
      else response.end('here');
    });
    const agent = new Agent();
    const bucket = tokenBucket({ refillPerSecond: 1_000, capacity: 100, feedback: serverFeedback });
    const dispatcher = agent.compose(
      interceptors.redirect({ maxRedirections: 3 }),
      ebbInterceptor({ bucket, totalTimeoutMs: 60_000 }),
    );
    for (const path of ['moved', 'here']) {
      const { statusCode, body } = await request(`${server.url}${path}`, { dispatcher });
      expect(statusCode).toBe(200);
      await body.dump();
    }
    await agent.destroy();
  });
});

describe.each(Object.entries(versions))('the context of a response, of %s', (_, undici) => {
  const { Agent, interceptors, request } = undici;
  const redirect = interceptors.redirect({ maxRedirections: 3 });
  const ebb = ebbInterceptor({ backoff: constant(0) });

  test.each([
    ['ebb alone', [ebb], []],
    ['ebb above the redirect interceptor', [redirect, ebb], ['/', '/end']],
    ['ebb below the redirect interceptor', [ebb, redirect], ['/', '/end']],
  ] as const)('%s: has the history, and nothing shows it', async (_name, chain, paths) => {
    await using server = await upstream((response, { path }, number) => {
      if (number === 0) response.writeHead(503).end();
      else if (path === '/' && paths.length > 0) response.writeHead(302, { location: '/end' }).end();
      else response.end('ok');
    });
    const agent = new Agent();
    const { body, context } = await request(server.url, { dispatcher: agent.compose(...chain) });
    await body.dump();
    const plain = paths.length === 0 ? {} : { history: paths.map((path) => new URL(path, server.url)) };
    expect(context).toStrictEqual(plain);
    expect(Reflect.ownKeys({ ...(context as object) })).toEqual(Object.keys(plain));
    expect(attemptsOf(context).at(-1)).toMatchObject({ status: 200, reason: 'success' });
    await agent.destroy();
  });
});
