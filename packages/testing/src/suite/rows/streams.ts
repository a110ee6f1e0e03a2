import { constant, type PolicyOptions } from '@ebb/core';
import type { Row } from '../row.ts';
import { down, EVENTS } from '../step.ts';

const fast: PolicyOptions = { backoff: constant(10) };

const text = EVENTS.join('');
const page = { status: 200, headers: { 'content-type': 'text/html' }, body: 'sign in' };

/** Once the caller has the headers of a stream, its reader gets the error of a break, unless the client asks for the rest. */
const unresumed = { policy: fast, delays: [], hits: 1, reason: 'success', needs: ['sockets'] } as const;

/**
 * Event streams that break. In some runtimes bytes that arrive together with the break do not reach the reader. The rest is then the whole
 * stream, so no row asks for `Last-Event-ID`, or for the first event.
 */
export const streams: readonly Row[] = [
  {
    ...unresumed,
    name: 'an event stream that breaks off',
    script: ['half-stream', 'rest-of-stream'],
    by: {
      wholeBodies: { delays: [10], hits: 2, status: 200, body: text },
      resumesStreams: { delays: [10], hits: 2, status: 200, body: text },
    },
  },
  {
    ...unresumed,
    name: 'an event stream that breaks off: its rest is retried',
    script: ['half-stream', down, 'rest-of-stream'],
    by: {
      wholeBodies: { delays: [10, 10], hits: 3, status: 200, body: text },
      resumesStreams: { delays: [10, 10], hits: 3, status: 200, body: text },
    },
  },
  {
    ...unresumed,
    name: 'an event stream that breaks off: a 204 ends it',
    script: ['half-stream', { status: 204 }],
    by: {
      wholeBodies: { delays: [10], hits: 2, status: 204, body: '' },
      resumesStreams: { delays: [10], hits: 2, status: 200 },
    },
  },
  {
    ...unresumed,
    name: 'an event stream that breaks off: a page is not its rest',
    script: ['half-stream', page],
    by: {
      wholeBodies: { delays: [10], hits: 2, status: 200, body: 'sign in' },
      resumesStreams: { delays: [10], hits: 2 },
    },
  },
];
