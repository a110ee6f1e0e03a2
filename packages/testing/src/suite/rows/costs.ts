import { type Clock, constant, type PolicyOptions, tokenBucket } from '@ebb/core';
import { costFromResponse } from '@ebb/providers';
import type { Limits, Row } from '../row.ts';
import { type Step, up } from '../step.ts';

/** Two tokens, and one more a second. */
const two = (clock: Clock): Limits => ({ bucket: tokenBucket({ capacity: 2, refillPerSecond: 1, clock }) });

/** Takes both of them, and gives back what the body says that was not used. */
const policy: PolicyOptions = {
  backoff: constant(10),
  cost: 2,
  actualCost: costFromResponse(async (response) => {
    const body = (await response.json()) as { used?: number } | undefined;
    return body?.used;
  }),
};

const EVENTS = 'data: {"used":1}\n\ndata: {"text":"à la carte"}\n\ndata: [DONE]\n\n';
const events: Step = { status: 200, headers: { 'content-type': 'text/event-stream' }, body: EVENTS };

/** The cost of a request, by its body and by its answer. */
export const costs: readonly Row[] = [
  {
    name: 'a cost by the body of the request',
    script: [up],
    request: { method: 'PUT', body: 'text' },
    policy: { cost: ({ body }) => (body === 'text' ? 2 : 1) },
    limits: (clock) => ({
      bucket: tokenBucket({ capacity: 2, refillPerSecond: 1, initialTokens: 0, clock }),
    }),
    waits: [2_000],
    delays: [],
    hits: 1,
    status: 200,
    body: 'up',
    bodies: ['text'],
    reason: 'success',
    needs: ['inspection'],
  },
  {
    name: 'a refusal that gives its tokens back',
    script: [{ status: 429, headers: { 'content-type': 'application/json' }, body: '{"used":0}' }, up],
    policy,
    limits: two,
    delays: [10],
    hits: 2,
    status: 200,
    body: 'up',
    reason: 'success',
    needs: ['inspection'],
  },
  {
    name: 'a refusal that says nothing of its tokens',
    script: [{ status: 429, body: 'busy' }, up],
    policy,
    limits: two,
    waits: [1_990],
    delays: [10],
    hits: 2,
    status: 200,
    body: 'up',
    reason: 'success',
    needs: ['inspection'],
  },
  {
    name: 'an event stream that is read as it passes',
    script: [events],
    policy,
    limits: two,
    delays: [],
    hits: 1,
    status: 200,
    body: EVENTS,
    reason: 'success',
    needs: ['inspection'],
  },
];
