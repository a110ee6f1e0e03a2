import { constant, type Inspect, inspectBody, tokenBucket } from '@ebb/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/runs.ts';
import { rawUpstream } from '../../undici/test/upstream.ts';
import { createFetch } from './index.ts';

const isWeb = process.env.EBB_PLATFORM === 'web';

const atOnce = { backoff: constant(0) };
const encoder = new TextEncoder();

/** A response whose body comes in parts; an error breaks it. Those after the first come when `hold` has resolved. */
function streamed(parts: readonly (string | Uint8Array | Error)[], hold?: Promise<void>): Response {
  let at = 0;
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (at === 1) await hold;
      const part = parts[at];
      at += 1;
      if (part === undefined) controller.close();
      else if (part instanceof Error) controller.error(part);
      else controller.enqueue(typeof part === 'string' ? encoder.encode(part) : part);
    },
  });
  return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
}

function sequence(...responses: (() => Response)[]) {
  let sent = 0;
  const base = async () => {
    const make = responses[Math.min(sent, responses.length - 1)] as () => Response;
    sent += 1;
    return make();
  };
  return { base, sent: () => sent };
}

const firstEvent: Inspect = async (response) => {
  const event = await response.firstEvent();
  return event?.event === 'error' ? { verdict: 'refused' } : undefined;
};

describe('a stream', () => {
  test.each<[story: string, first: readonly (string | Error)[], sent: number]>([
    ['whose first event is an error', ['event: error\ndata: 1\n\n'], 2],
    ['that breaks before its first event', [': hi\n', new Error('reset')], 2],
    ['whose second event is an error', ['data: 1\n\n', 'event: error\ndata: 1\n\n'], 1],
    ['that breaks after its first event', ['data: 1\n\n', new Error('reset')], 1],
  ])('%s', async (_, first, sent) => {
    const all = sequence(
      () => streamed(first),
      () => streamed(['data: done\n\n']),
    );
    const ebbFetch = createFetch({ ...atOnce, inspect: inspectBody(firstEvent) }, all.base);
    const response = await ebbFetch('https://a.test/');
    expect(all.sent()).toBe(sent);
    if (sent === 2) expect(await response.text()).toBe('data: done\n\n');
  });
});

function used(): Response {
  const response = new Response('x');
  void response.text();
  return response;
}

test.each<[story: string, response: () => unknown]>([
  ['without a body', () => new Response(null, { status: 204 })],
  ['of a mock that cannot be cloned', () => ({ status: 200, headers: new Headers(), body: {} })],
  ['whose body is used', used],
])('a response %s is looked at as an empty one', async (_, response) => {
  const texts: string[] = [];
  const inspect = inspectBody(async (given) => {
    texts.push(await given.text());
    return undefined;
  });
  const own = response();
  expect(await createFetch({ inspect }, (async () => own) as never)('https://a.test/')).toBe(own);
  expect(texts).toEqual(['']);
});

test('the caller gets the same bytes, whatever is looked at', async () => {
  const looks: Inspect[] = [
    async (response) => void (await response.text()) as undefined,
    async (response) => void (await response.json()) as undefined,
    async (response) => void (await response.firstEvent()) as undefined,
    () => undefined,
  ];
  const part = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 40 }),
    fc.constantFrom('data: 1\n\n', 'event: error\n', '\r\n', '{"a":').map((text) => encoder.encode(text)),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { maxLength: 12 }),
      fc.nat(3),
      fc.integer({ min: 1, max: 200 }),
      async (parts, look, maxBytes) => {
        const inspect = inspectBody(looks[look] as Inspect, { maxBytes });
        const response = await createFetch({ inspect }, async () => streamed(parts))('https://a.test/');
        const whole = parts.flatMap((bytes) => [...bytes]);
        expect([...new Uint8Array(await response.arrayBuffer())]).toEqual(whole);
      },
    ),
    { numRuns: process.env.EBB_LONG === '1' ? 10_000 : runs(1_000) },
  );
});

/** A server that says so, to the letter. */
const saying = (line: string) =>
  rawUpstream((socket) => {
    socket.end(`HTTP/1.1 ${line}\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok`);
  });

// No constructor of a response takes these.
describe.skipIf(isWeb).each(['200 Хорошо', '200 Verf\u00fcgbar', '999 Own', '503 Сервис недоступен'])(
  'a response that says %s reaches the caller, with its body',
  (line) => {
    const status = Number(line.slice(0, 3));

    test('after a look', async () => {
      await using server = await saying(line);
      const { url } = server;
      const { statusText } = await fetch(url);
      const inspect = inspectBody(async (response) => void (await response.text()));
      const response = await createFetch({ inspect, maxRetries: 0 })(url);
      for (const one of [response.clone(), response]) {
        expect([one.status, one.statusText, one.ok]).toEqual([status, statusText, status < 300]);
        expect(one.headers.get('content-length')).toBe('2');
        expect(await one.text()).toBe('ok');
      }
    });

    test('after a retry that is refused', async () => {
      await using server = await saying(line);
      const bucket = tokenBucket({ capacity: 1, refillPerSecond: 1e-6, nonConforming: 'reject' });
      const response = await createFetch({ ...atOnce, bucket, classify: () => 'transient' })(server.url);
      expect([response.status, await response.text()]).toEqual([status, 'ok']);
    });
  },
);
