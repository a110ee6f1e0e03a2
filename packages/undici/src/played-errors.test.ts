import type { ServerResponse } from 'node:http';
import { constant, createPolicy, type EbbEvent, inspectBody, type PolicyOptions } from '@ebb/core';
import { type VirtualClock, virtualClock } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { pairs } from '../../../test/pairs.ts';
import { turns } from '../../../test/until.ts';
import { tokensFor } from '../test/bucket.ts';
import { versions } from '../test/clients.ts';
import { readers } from '../test/readers.ts';
import { upstream } from '../test/upstream.ts';
import { ebbInterceptor } from './index.ts';

/** Far longer than any of these takes. A reader that waits for ever fails alone. */
const STUCK_MS = 10_000;

/** Responses whose bodies cannot be given whole. */
const bodies: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  'is cut': (response) => {
    response.writeHead(503, { 'content-length': 10 });
    response.write('12345', () => response.destroy());
  },
  'is cut before its first byte': (response) => {
    response.writeHead(503, { 'content-length': 10 }).flushHeaders();
    setImmediate(() => response.destroy());
  },
  'says that it is too long to keep': (response) => response.writeHead(503).end('x'.repeat(300_000)),
  'is too long to keep': (response) => {
    response.writeHead(503);
    for (let sent = 0; sent < 300_000; sent += 1_000) response.write('x'.repeat(1_000));
    response.end();
  },
  'never ends': (response) => response.writeHead(503).write('12345'),
};

/** What refuses the retry. */
type Refusal = (close: () => unknown) => PolicyOptions;

const refusals: Readonly<Record<string, Refusal>> = {
  'the bucket': () => ({ bucket: tokensFor(1) }),
  'the stop signal': () => {
    const stop = new AbortController();
    return { stopSignal: stop.signal, onEvent: ({ type }) => void (type === 'retry' && stop.abort()) };
  },
  'close()': (close) => ({
    // Keeps the body of a response that is followed by a retry.
    totalTimeoutMs: 1_000_000,
    onEvent: ({ type }) => void (type === 'retry' && close()),
  }),
};

/** Lets the time pass in which a response is read that is followed by a retry. */
function passing(clock: VirtualClock, { onEvent }: PolicyOptions): (event: EbbEvent) => void {
  return (event) => {
    if (typeof onEvent === 'function') onEvent(event);
    if (event.type !== 'retry') return;
    void turns(200).then(() => clock.advance(1_000));
  };
}

const combinations = readers.flatMap(({ name }) =>
  Object.keys(bodies).flatMap((body) => Object.keys(refusals).map((by) => [name, body, by] as const)),
);
const chosen = pairs(combinations, ([name, body, by]) => [...name.split(', '), body, by]);

describe.each(readers.map((reader) => [reader.name, reader] as const))('%s', (name, { version, read }) => {
  const undici = versions[version] as (typeof versions)[string];

  test.each(chosen.filter(([reader]) => reader === name).map(([, body, by]) => [body, by] as const))(
    'a 503 that %s fails to be read if %s refuses the retry',
    async (body, by) => {
      await using server = await upstream((response) => bodies[body]?.(response));
      const agent = new undici.Agent();
      const clock = virtualClock();
      const options = (refusals[by] as Refusal)(() => void agent.close());
      const policy = createPolicy({
        ...options,
        backoff: constant(0),
        clock,
        onEvent: passing(clock, options),
      });
      try {
        await expect(read(server.url, agent.compose(ebbInterceptor(policy)))).rejects.toBeInstanceOf(Error);
        expect(server.seen).toHaveLength(1);
      } finally {
        await agent.destroy();
      }
    },
    STUCK_MS,
  );

  test.each(['is cut', 'is cut before its first byte'])(
    'a 200 that %s during a look fails to be read',
    async (body) => {
      await using server = await upstream((response) => {
        response.statusCode = 200;
        const { writeHead } = response;
        response.writeHead = (_status: number, headers: never) => writeHead.call(response, 200, headers);
        bodies[body]?.(response);
      });
      const agent = new undici.Agent();
      const inspect = inspectBody(async (response) => void (await response.text()));
      const dispatcher = agent.compose(ebbInterceptor({ inspect, maxRetries: 0 }));
      try {
        await expect(read(server.url, dispatcher)).rejects.toBeInstanceOf(Error);
      } finally {
        await agent.destroy();
      }
    },
    STUCK_MS,
  );
});
