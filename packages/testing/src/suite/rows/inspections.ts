import { constant, inspectBody, type PolicyOptions } from '@ebb/core';
import type { Row } from '../row.ts';
import { down, type Step, up } from '../step.ts';

const fast: PolicyOptions = { backoff: constant(10) };
const json = (status: number, body: string): Step => ({
  status,
  body,
  headers: { 'content-type': 'application/json' },
});
const inspect = inspectBody(async (response) => {
  if (response.header('content-type') === 'text/event-stream') {
    return (await response.firstEvent())?.event === 'error' ? { verdict: 'refused' } : undefined;
  }
  const body = (await response.json()) as { error?: string; waitMs?: number } | undefined;
  if (body?.error === 'busy') return { verdict: 'refused', waitMs: body.waitMs };
  return body?.error === 'quota' ? { verdict: 'final' } : undefined;
});
const post = { method: 'POST', body: 'text' };

/** Bodies that a policy reads by `inspect`. */
export const inspected: readonly Row[] = [
  {
    name: 'an error in a 200',
    script: [json(200, '{"error":"busy"}'), json(200, '{"ok":true}')],
    request: post,
    policy: { ...fast, inspect },
    delays: [10],
    hits: 2,
    status: 200,
    body: '{"ok":true}',
    bodies: ['text', 'text'],
    reason: 'success',
    needs: ['inspection'],
  },
  {
    name: 'an error in a 200 to the end',
    script: [json(200, '{"error":"busy"}')],
    policy: { ...fast, maxRetries: 1, inspect },
    delays: [10],
    hits: 2,
    status: 200,
    body: '{"error":"busy"}',
    reason: 'retries-exhausted',
    needs: ['inspection'],
  },
  {
    name: 'a wait in the body of a 429',
    script: [json(429, '{"error":"busy","waitMs":3000}'), up],
    policy: { ...fast, inspect },
    delays: [3_000],
    hits: 2,
    status: 200,
    body: 'up',
    reason: 'success',
    needs: ['inspection'],
  },
  {
    name: 'a 429 whose body says that no retry helps',
    script: [json(429, '{"error":"quota"}')],
    policy: { ...fast, inspect },
    delays: [],
    hits: 1,
    status: 429,
    body: '{"error":"quota"}',
    reason: 'final',
    needs: ['inspection'],
  },
  {
    name: 'an error as the first event of a stream',
    script: [
      { status: 200, headers: { 'content-type': 'text/event-stream' }, body: 'event: error\ndata: 1\n\n' },
      { status: 200, headers: { 'content-type': 'text/event-stream' }, body: 'data: 2\n\n' },
    ],
    policy: { ...fast, inspect },
    delays: [10],
    hits: 2,
    status: 200,
    body: 'data: 2\n\n',
    reason: 'success',
    needs: ['inspection'],
  },
  {
    name: 'a body that breaks while it is inspected',
    script: ['half-body', up],
    policy: { ...fast, inspect },
    delays: [10],
    hits: 2,
    status: 200,
    body: 'up',
    reason: 'success',
    needs: ['inspection', 'sockets'],
  },
  {
    name: 'a 503 that is inspected, with nothing to say',
    script: [down, up],
    policy: { ...fast, inspect },
    delays: [10],
    hits: 2,
    status: 200,
    body: 'up',
    reason: 'success',
    needs: ['inspection'],
  },
];
