import diagnostics from 'node:diagnostics_channel';
import { constant, createPolicy, type EbbEvent } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { expect, onTestFinished, test } from 'vitest';
import { Download } from './download.ts';
import { readResumeOptions } from './options.ts';
import { Resumer } from './resumer.ts';

const request = { method: 'GET', url: 'https://a.test/', replayable: true, header: () => undefined };

test('the events of a resumption have channels', async () => {
  const events: EbbEvent[] = [];
  for (const type of ['resume', 'resume-end']) {
    const listener = (event: unknown): void => void events.push(event as EbbEvent);
    diagnostics.subscribe(`ebb:${type}`, listener);
    onTestFinished(() => void diagnostics.unsubscribe(`ebb:${type}`, listener));
  }
  const error = Object.assign(new Error('broken'), { code: 'ECONNRESET' });
  const policy = createPolicy({ clock: virtualClock({ startMs: 7 }), backoff: constant(0) });
  const header = (name: string) => ({ etag: '"a"', 'content-length': '9' })[name];
  const resumer = new Resumer(new Download(200, header), readResumeOptions({ policy }), {
    ...{ request, ebb: undefined, whyUnsafe: () => undefined },
    ...{ with: () => ({}), again: () => ({}) },
  });
  resumer.take(Uint8Array.of(1, 2, 3), () => undefined);
  await resumer.next(error, 'broken', {}, new AbortController().signal);
  resumer.refuse(error, 'no');
  expect(events).toMatchObject([
    {
      type: 'resume',
      reason: 'broken',
      passedBytes: 3,
      delayMs: 0,
      atMs: 7,
      outcome: { code: 'ECONNRESET' },
    },
    { type: 'resume-end', result: 'refused', passedBytes: 3, atMs: 7 },
  ]);
  expect(events[0]?.request).toBe(events[1]?.request);
});
