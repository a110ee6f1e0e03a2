import { constant } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { requestHeader } from '@ebb/undici/internal';
import fc from 'fast-check';
import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/runs.ts';
import { Connection } from '../../../undici/test/wire.ts';
import { resumable } from '../undici.ts';

const event = fc.record({
  data: fc.array(
    fc.string({ unit: 'grapheme', maxLength: 6 }).map((text) => text.replace(/[\r\n]/g, '')),
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
  comment: fc.boolean(),
});
const connection = fc.record({
  cutAfter: fc.nat(120),
  sizes: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 }),
  end: fc.constantFrom('breaks', 'ends', 'pauses'),
});

/** Longer than any data of these streams. */
const COMMENT = ': a comment';

/** The long run draws 100,000 streams. */
const numRuns = process.env.EBB_LONG === '1' ? 100_000 : runs(1_000);

test('for any stream that is cut anywhere, any number of times, the handler gets its bytes once', async () => {
  let resumed = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { minLength: 1, maxLength: 8 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(connection, { maxLength: 6 }),
      async (events, lineEnd, cuts) => {
        const texts = events.map(({ data, comment }, at) =>
          [
            ...(comment ? [COMMENT, ''] : []),
            `id: ${at + 1}`,
            ...data.map((line) => `data: ${line}`),
            '',
            '',
          ].join(lineEnd),
        );
        const clock = virtualClock();
        const asked: (string | undefined)[] = [];
        /** One after the other the connections of the script; then one that is not cut, and a 204. */
        const dispatch: Dispatcher.Dispatch = (options, handler) => {
          const lastId = requestHeader(options.headers, 'last-event-id');
          const number = asked.push(lastId) - 1;
          const rest = Buffer.from(texts.slice(Number(lastId ?? 0)).join(''));
          const { cutAfter, sizes, end } = cuts[number] ?? { cutAfter: rest.length, sizes: [7], end: 'ends' };
          const wire = new Connection(handler);
          handler.onRequestStart?.(wire, {});
          if (rest.length === 0) {
            handler.onResponseStart?.(wire, 204, {});
            handler.onResponseEnd?.(wire, {});
            return true;
          }
          handler.onResponseStart?.(wire, 200, { 'content-type': 'text/event-stream' });
          const sent = rest.subarray(0, cutAfter);
          for (let at = 0, turn = 0; at < sent.length; turn += 1) {
            const size = sizes[turn % sizes.length] ?? 1;
            handler.onResponseData?.(wire, sent.subarray(at, at + size));
            at += size;
          }
          if (end === 'ends') handler.onResponseEnd?.(wire, {});
          else if (end === 'breaks') handler.onResponseError?.(wire, new Error('broken'));
          // Silence.
          return true;
        };
        const parts: unknown[] = [];
        let ended: unknown;
        resumable({
          policy: { clock, backoff: constant(1) },
          maxResumes: 20,
          resumeAtEnd: true,
          idleTimeoutMs: 1_000,
        })(dispatch)(
          { origin: 'http://upstream.test', path: '/', method: 'GET' },
          {
            onRequestStart: () => undefined,
            onResponseStart: () => undefined,
            onResponseData: (_, part) => void parts.push(part),
            onResponseEnd: () => {
              ended = 'whole';
            },
            onResponseError: (_, error) => {
              ended = error;
            },
          },
        );
        for (let turn = 0; turn < 40 && ended === undefined; turn += 1) await clock.advance(1_001);
        expect(ended).toBe('whole');
        expect(parts.every((part) => Buffer.isBuffer(part))).toBe(true);
        // A comment has no id, so it may come again.
        const eventsIn = (text: string): string => text.replaceAll(`${COMMENT}${lineEnd}${lineEnd}`, '');
        const got = Buffer.concat(parts as Buffer[]).toString();
        expect(eventsIn(got)).toBe(eventsIn(texts.join('')));
        expect(clock.pending).toBe(0);
        resumed += asked.length - 1;
      },
    ),
    { numRuns },
  );
  expect(resumed).toBeGreaterThan(numRuns);
}, 1_200_000);
