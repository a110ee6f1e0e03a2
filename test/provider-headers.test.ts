import { readFileSync } from 'node:fs';
import { constant, createPolicy, type PolicyOptions, serverFeedback } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import * as presets from '@ebb/providers';
import { expect, test } from 'vitest';

interface Answer {
  readonly provider: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Record<string, string>;
  };
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly sse?: string;
}

const file = new URL('data/provider-answers.json', import.meta.url);
const { answers } = JSON.parse(readFileSync(file, 'utf8')) as { readonly answers: readonly Answer[] };

const byName = presets as unknown as Readonly<Record<string, () => PolicyOptions>>;

/** The names of the headers that are looked up in a response, if a client with these options gets it. */
async function readFrom(answer: Answer, options: PolicyOptions): Promise<Set<string>> {
  const { request, status, headers, body, sse } = answer;
  const names = new Set<string>();
  const text = sse ?? (typeof body === 'string' ? body : JSON.stringify(body));
  const response = new Response(text, { status, headers });
  const get = response.headers.get.bind(response.headers);
  response.headers.get = (name) => {
    names.add(name.toLowerCase());
    return get(name);
  };
  // Without it the client copies them all at once.
  Object.defineProperty(response.headers, Symbol.iterator, { value: undefined });
  const clock = virtualClock();
  const policy = createPolicy({ ...options, clock, maxRetries: 1, backoff: constant(0) });
  const responses = [response];
  const fetch = createFetch(policy, async () => responses.shift() ?? new Response('{}'));
  const { method, path, headers: sent = {} } = request;
  const init = { method, headers: sent, ...(method !== 'GET' && { body: '{}' }) };
  await clock.runUntilSettled(fetch(`https://upstream.test${path}`, init));
  return names;
}

/** About the body alone, for a response that is read to its end before the next attempt. */
const OF_BODIES = new Set(['content-length']);

/** The rows of fields that have no provider of their own. */
const shared = readFileSync('packages/core/src/http/server-feedback.test.ts', 'utf8');

const isInShared = (name: string): boolean => new RegExp(`(?:'${name}'|\\b${name}): `).test(shared);

test('each header that a preset or `serverFeedback` looks up has a row', async () => {
  const inRows = new Set(
    answers.flatMap(({ headers }) => Object.keys(headers).map((name) => name.toLowerCase())),
  );
  const read = new Set<string>();
  for (const answer of answers) {
    const preset = byName[answer.provider]?.() ?? {};
    for (const options of [preset, { feedback: serverFeedback }]) {
      for (const name of await readFrom(answer, options)) read.add(name);
    }
  }
  expect(read.size).toBeGreaterThan(30);
  const without = [...read].filter((name) => !inRows.has(name) && !isInShared(name) && !OF_BODIES.has(name));
  expect(without, 'add rows to test/data/provider-answers.json, or to server-feedback.test.ts').toEqual([]);
});
