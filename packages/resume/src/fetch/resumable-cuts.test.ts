import { constant, createPolicy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { describe, expect, test } from 'vitest';
import { after, cutting, EVENT_STREAM, eventsOf, partOf } from '../../../fetch/test/cutting.ts';
import { resumable } from '../fetch.ts';

const policy = createPolicy({ backoff: constant(0) });
const fetch = resumable(createFetch(policy), { policy });

/** Runs an attempt for each number below `count`, several at once; returns those whose result differs. */
async function differing(
  count: number,
  expected: string,
  attempt: (at: number) => Promise<string>,
): Promise<string[]> {
  const wrong: string[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) {
      const got = await attempt(at).catch((error: unknown) => String(error));
      if (got !== expected) wrong.push(`${at}: ${got}`);
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  return wrong;
}

async function textOf(url: string): Promise<string> {
  const response = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
  return response.text();
}

describe.each([
  ['LF', '\n', 1_182],
  ['CRLF', '\r\n', 1_288],
  ['CR', '\r', 1_182],
])('an event stream with %s', (_, lineEnd, length) => {
  const events = eventsOf(lineEnd);
  const whole = events.join('');

  test('arrives whole if it is cut once, at any byte', async () => {
    expect(whole.length).toBe(length);
    await using server = await cutting((head) => ({
      headers: EVENT_STREAM,
      body: after(events, head),
      ...(head.header('last-event-id') === undefined &&
        seen(head.path) && { cutAfter: Number(head.path.slice(1)) }),
    }));
    const paths = new Set<string>();
    const seen = (path: string): boolean => !paths.has(path) && paths.add(path) !== undefined;
    const wrong = await differing(length, whole, (at) => textOf(`${server.url}${at}`));
    expect(wrong).toEqual([]);
    expect(server.heads).toHaveLength(2 * length);
  });

  test.each([100, 333])('arrives whole if every connection is cut after %i bytes', async (cutAfter) => {
    await using server = await cutting((head) => ({
      headers: EVENT_STREAM,
      body: after(events, head),
      ...(after(events, head).length > cutAfter && { cutAfter }),
    }));
    expect(await textOf(server.url)).toBe(whole);
    expect(server.heads.length).toBeGreaterThan(length / cutAfter);
  });
});

test('a download of 1,000 bytes arrives whole if it is cut once, at any byte', async () => {
  const body = Buffer.from(Array.from({ length: 1_000 }, (_, at) => 97 + ((at * 7) % 26)));
  await using server = await cutting((head) => ({
    ...partOf(body, head),
    ...(head.header('range') === undefined && { cutAfter: Number(head.path.slice(1)) }),
  }));
  const wrong = await differing(1_000, body.toString(), (at) => textOf(`${server.url}${at}`));
  expect(wrong).toEqual([]);
  expect(server.heads).toHaveLength(2_000);
});
