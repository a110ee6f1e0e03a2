import { attemptsOf, constant, type EbbEvent, type PolicyOptions } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { until } from '../../../test/until.ts';
import { bucketThat } from '../test/bucket.ts';
import { type Client, clients, versions } from '../test/clients.ts';
import { failing, rawUpstream, upstream } from '../test/upstream.ts';
import { ebbInterceptor } from './index.ts';

const soon: PolicyOptions = { backoff: constant(0) };

function composed({ undici }: Client, policy: PolicyOptions = soon, connections?: number) {
  const agent = new undici.Agent(connections === undefined ? {} : { connections });
  return Object.assign(agent.compose(ebbInterceptor(policy)), {
    [Symbol.asyncDispose]: () => agent.destroy(),
  });
}

describe.each(clients.map((client) => [client.name, client] as const))('%s', (_, client) => {
  test('503, 500 and 429, then 200: one connection', async () => {
    await using server = await upstream(failing(503, 500, 429));
    await using dispatcher = composed(client);
    const got = await client.send(server.url, dispatcher);
    expect([got.status, await got.text()]).toEqual([200, 'ok']);
    expect(server.seen).toHaveLength(4);
    expect(server.connections()).toBe(1);
  });

  test('waits for Retry-After', async () => {
    await using server = await upstream((response, _seen, number) => {
      if (number === 0) response.writeHead(429, { 'retry-after': '7' });
      response.end('ok');
    });
    const clock = virtualClock({ startMs: 0 });
    const delays: number[] = [];
    const onEvent = (event: EbbEvent): void => {
      if (event.type !== 'retry') return;
      delays.push(event.delayMs);
      setImmediate(() => clock.advance(event.delayMs));
    };
    await using dispatcher = composed(client, { clock, onEvent, random: () => 0 });
    expect((await client.send(server.url, dispatcher)).status).toBe(200);
    expect(delays).toEqual([7_000]);
    expect(clock.pending).toBe(0);
  });

  test('the last failing response is given whole', async () => {
    const body = 'x'.repeat(100_000);
    await using server = await upstream((response, _seen, number) => {
      response.writeHead(503, { 'x-attempt': String(number + 1) }).end(`${number}${body}`);
    });
    await using dispatcher = composed(client, { ...soon, maxRetries: 2 });
    const got = await client.send(server.url, dispatcher);
    expect(got.status).toBe(503);
    expect(got.headers['x-attempt']).toBe('3');
    expect(await got.text()).toBe(`2${body}`);
  });

  test('a 404 is not retried', async () => {
    await using server = await upstream(failing(404));
    await using dispatcher = composed(client);
    const got = await client.send(server.url, dispatcher);
    expect([got.status, await got.text()]).toEqual([404, 'no 1']);
    expect(server.seen).toHaveLength(1);
  });

  test('retries a refused connection and a reset', async () => {
    await using dispatcher = composed(client, { ...soon, maxRetries: 1 });
    const gone = await upstream(failing());
    await gone[Symbol.asyncDispose]();
    const error = await client.send(gone.url, dispatcher).catch((thrown: unknown) => thrown);
    const cause = client.isFetch ? (error as Error).cause : error;
    expect(cause).toMatchObject({ code: 'ECONNREFUSED' });
    expect(attemptsOf(cause)).toMatchObject([
      { attempt: 1, failure: 'connect', code: 'ECONNREFUSED', reason: 'refused' },
      { attempt: 2, failure: 'connect', reason: 'retries-exhausted' },
    ]);

    await using server = await rawUpstream((socket, _head, number) => {
      if (number === 0) socket.destroy();
      else socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    });
    const got = await client.send(server.url, dispatcher);
    expect([got.status, await got.text()]).toEqual([200, 'ok']);
  });

  test('a POST is retried after 429, and not after 503 or a reset', async () => {
    await using server = await upstream(failing(429, 503));
    await using dispatcher = composed(client);
    const got = await client.send(server.url, dispatcher, { method: 'POST', body: 'text' });
    expect([got.status, await got.text()]).toEqual([503, 'no 2']);
    await using resetting = await rawUpstream((socket) => socket.destroy());
    await expect(client.send(resetting.url, dispatcher, { method: 'POST', body: 'text' })).rejects.toThrow();
    expect(resetting.connections()).toBe(1);
  });

  test('a 503 that never ends does not block a single connection', async () => {
    await using server = await upstream((response, _seen, number) => {
      if (number > 0) response.end('ok');
      else response.writeHead(503).write('and so on');
    });
    const clock = virtualClock({ startMs: 0 });
    const onEvent = ({ type }: EbbEvent): void => {
      if (type === 'retry') void clock.advance(1_000);
    };
    await using dispatcher = composed(client, { ...soon, clock, onEvent }, 1);
    const got = await client.send(server.url, dispatcher);
    expect([got.status, await got.text()]).toEqual([200, 'ok']);
    expect(clock.pending).toBe(0);
  });

  test('twenty concurrent requests over a single connection all succeed', async () => {
    await using server = await upstream((response, _seen, number) => {
      if (number < 20) response.statusCode = 503;
      response.end('x'.repeat(65_536));
    });
    await using dispatcher = composed(client, soon, 1);
    const send = async (): Promise<number> => {
      const got = await client.send(server.url, dispatcher);
      await got.text();
      return got.status;
    };
    const got = await Promise.all(Array.from({ length: 20 }, send));
    expect(got).toEqual(Array(20).fill(200));
    expect(server.connections()).toBe(1);
  });

  test('40 requests that each meet two 503s of 64 KiB take one connection', async () => {
    await using server = await upstream((response, _seen, number) => {
      if (number % 3 < 2) response.writeHead(503).end('x'.repeat(65_536));
      else response.end('ok');
    });
    await using dispatcher = composed(client);
    for (let call = 0; call < 40; call += 1) {
      expect(await (await client.send(server.url, dispatcher)).text()).toBe('ok');
      // undici opens another connection for a request in the turn in which a response ends.
      await nextTurn();
    }
    expect(server.seen).toHaveLength(120);
    expect(server.connections()).toBe(1);
  });

  test('an abort during the backoff ends it with its reason, within a turn', async () => {
    await using server = await upstream(failing(503));
    const clock = virtualClock({ startMs: 0 });
    const abort = new AbortController();
    const reason = new Error('enough');
    let turns = Number.NaN;
    const onEvent = async (event: EbbEvent): Promise<void> => {
      if (event.type !== 'retry') return;
      // Only the wait for the retry remains.
      await until(() => clock.pending === 1);
      turns = 0;
      const count = (): void => {
        turns += 1;
        if (turns < 10) setImmediate(count);
      };
      abort.abort(reason);
      setImmediate(count);
    };
    await using dispatcher = composed(client, { clock, onEvent });
    const sent = client.send(server.url, dispatcher, { signal: abort.signal });
    await expect(sent).rejects.toBe(reason);
    expect(turns).toBeLessThanOrEqual(1);
    expect(server.seen).toHaveLength(1);
    await nextTurn();
    expect(clock.pending).toBe(0);
  });

  test('a request with an aborted signal is not sent', async () => {
    await using server = await upstream(failing());
    await using dispatcher = composed(client);
    const reason = new Error('never');
    const sent = client.send(server.url, dispatcher, { signal: AbortSignal.abort(reason) });
    await expect(sent).rejects.toBe(reason);
    expect(server.seen).toHaveLength(0);
  });

  test('attemptTimeoutMs ends an attempt without a response', async () => {
    const clock = virtualClock({ startMs: 0 });
    await using server = await upstream((response, _seen, number) => {
      if (number === 0) setImmediate(() => clock.advance(50));
      else response.end('ok');
    });
    await using dispatcher = composed(client, { ...soon, clock, attemptTimeoutMs: 50 });
    const got = await client.send(server.url, dispatcher);
    expect([got.status, await got.text()]).toEqual([200, 'ok']);
    expect(clock.pending).toBe(0);
  });

  test('a hook that throws fails its own request only, and its connection is reused', async () => {
    await using server = await upstream(failing(503, 404));
    let calls = 0;
    await using dispatcher = composed(
      client,
      {
        ...soon,
        classify: () => {
          calls += 1;
          if (calls === 1) throw new Error('broken');
          return 'success';
        },
      },
      1,
    );
    const [broken, other] = await Promise.allSettled([
      client.send(server.url, dispatcher),
      client.send(server.url, dispatcher),
    ]);
    const error = broken.status === 'rejected' ? broken.reason : undefined;
    expect(client.isFetch ? error.cause : error).toMatchObject({ name: 'HookError', hook: 'classify' });
    expect(other).toMatchObject({ status: 'fulfilled', value: { status: 404 } });
  });

  test('each attempt takes a token, and the history covers the whole request', async () => {
    await using server = await upstream(failing(503));
    const costs: (number | undefined)[] = [];
    const bucket = bucketThat({
      tryAcquire: (cost) => costs.push(cost) > 0,
      acquire: async ({ cost }) => costs.push(cost as number),
    });
    await using dispatcher = composed(client, { ...soon, bucket, cost: ({ url }) => url.length });
    const url = `${server.url}path?a=b`;
    expect((await client.send(url, dispatcher)).status).toBe(200);
    expect(costs).toEqual([url.length, url.length]);
  });
});

test('attemptsOf works on the context of a response', async () => {
  await using server = await upstream(failing(503));
  for (const undici of Object.values(versions)) {
    server.seen.length = 0;
    const agent = new undici.Agent();
    const dispatcher = agent.compose(ebbInterceptor(soon));
    const { body, context } = await undici.request(server.url, { dispatcher });
    await body.dump();
    expect(attemptsOf(context)).toMatchObject([{ status: 503 }, { status: 200, reason: 'success' }]);
    await agent.close();
  }
});
