import type { BodyInspector, InspectResult, PolicyOptions } from '@ebb/core';
import { type Peek, systemClock } from '@ebb/core/adapter';
import type { InspectionContext, ResponseOutcome } from '@ebb/core/internal';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import * as door from './index.ts';

/** The names and values that presets look for, and what a defective or malicious server might put in their place. */
const NAMES = [
  ...'error errors code type message details violations quotaId retryDelay'.split(' '),
  ...'response extensions cost requestedQueryCost throttleStatus currentlyAvailable restoreRate ok __type'.split(
    ' ',
  ),
];
const VALUES = [
  'THROTTLED',
  'RATE_LIMITED',
  'ratelimited',
  'rate_limit_exceeded',
  '__proto__',
  'constructor',
  'toString',
  `${'9'.repeat(400)}s`,
  `Please try again in ${'9'.repeat(400)}h`,
  'Request too large: Limit 1, Requested x',
  -5,
  1e308,
  429,
  null,
];

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom(...VALUES),
    fc.dictionary(fc.constantFrom(...NAMES), tie('any'), { maxKeys: 4 }),
    fc.array(tie('any'), { maxLength: 3 }),
  ),
})).any;

const points = fc.constantFrom(...VALUES, 0, 50, 100, '7');
const throttled = fc
  .tuple(points, points, points)
  .map(([requestedQueryCost, currentlyAvailable, restoreRate]) => ({
    errors: [{ extensions: { code: 'THROTTLED' } }],
    extensions: { cost: { requestedQueryCost, throttleStatus: { currentlyAvailable, restoreRate } } },
  }));
const delayed = fc.constantFrom(...VALUES).map((retryDelay) => ({
  error: { code: 429, message: retryDelay, details: [{ retryDelay, violations: [retryDelay] }] },
}));
const body = fc.oneof(value, throttled, delayed, fc.string());

const paths = [
  '/graphql',
  '/admin/api/2026-10/graphql.json',
  '/api/chat.postMessage',
  '/v1/models/m:generateContent',
];

function contextOf(type: string, path: string, attempt: number, content: unknown): InspectionContext {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const request = {
    method: 'PUT',
    url: `https://upstream.test${path}`,
    replayable: true,
    header: (name: string) => (name === 'x-amz-copy-source' ? '/a/b' : undefined),
  };
  const parts = [
    new TextEncoder().encode(type === 'text/event-stream' ? `event: error\ndata: ${text}\n\n` : text),
  ];
  const open = (): Peek => ({ read: async () => parts.shift(), stop: () => undefined });
  return { request, attempt, open, signal: undefined, clock: systemClock };
}

const VERDICTS = [undefined, 'success', 'refused', 'transient', 'final'];

function check(advice: InspectResult | undefined): void {
  if (advice === undefined) return;
  expect(VERDICTS).toContain(advice.verdict);
  const { waitMs = 0 } = advice;
  expect(waitMs).toBeGreaterThanOrEqual(0);
  expect(waitMs).toBeLessThan(Number.POSITIVE_INFINITY);
}

const inspecting = Object.entries(door).flatMap(([name, preset]): [string, BodyInspector][] => {
  if (/Limits$|IsLast$|Cost$|^costFromResponse$/.test(name)) return [];
  const { inspect } = (preset as () => PolicyOptions)();
  return inspect === undefined ? [] : [[name, inspect]];
});

test.each(inspecting)('%s judges any body, and never with a wait that is none', async (_, inspect) => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(200, 400, 403, 429, 503),
      fc.constantFrom('application/json', 'text/event-stream', 'application/xml'),
      fc.constantFrom(...paths),
      fc.integer({ min: 1, max: 5_000 }),
      body,
      async (status, type, path, attempt, content) => {
        const header = (name: string) => (name === 'content-type' ? type : undefined);
        const outcome: ResponseOutcome = { type: 'response', status, header };
        const judged = (await inspect.look(
          outcome,
          contextOf(type, path, attempt, content),
        )) as ResponseOutcome;
        check(judged.advice);
      },
    ),
    { numRuns: 1_000 },
  );
});
