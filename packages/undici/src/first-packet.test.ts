import { constant, createPolicy, HookError, inspectBody, type PolicyOptions } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import { type ResumableOptions, resumable } from '@ebb/resume/undici';
import { describe, expect, test } from 'vitest';
import { versions } from '../test/clients.ts';
import { readers } from '../test/readers.ts';
import { rawUpstream } from '../test/upstream.ts';
import { HandlerSpy, Wire } from '../test/wire.ts';
import { ebbInterceptor } from './index.ts';

// A body that fails in the packet of its headers. undici's fetch has not made the body by then, and never ends if it hears the error.

/** Far longer than any of these takes. A reader that waits for ever fails alone. */
const STUCK_MS = 10_000;

interface Row {
  /** Follows the headers, in the same packet. */
  readonly body: string;
  readonly resume?: ResumableOptions;
  readonly policy?: PolicyOptions;
  /** True if the request fails with what a hook has thrown. */
  readonly isThrown?: true;
}

const HEAD = 'HTTP/1.1 200 x\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const DONE = chunk('id: 1\ndata: [DONE]\n\n');
const HALF = chunk('id: 1\ndata: a\n\ndata');
const END = '0\r\n\r\n';
const NO_CHUNK = 'zz\r\n';

const fails = (): never => {
  throw new SyntaxError('Unexpected token D');
};
const resumeAtEnd = true;

const rows = (destroy: () => unknown): Readonly<Record<string, Row>> => ({
  'isLast throws': { body: DONE, resume: { isLast: fails }, isThrown: true },
  'idOf throws': { body: DONE, resume: { idOf: fails }, isThrown: true },
  'resumeWith throws': { body: DONE + END, resume: { resumeAtEnd, resumeWith: fails }, isThrown: true },
  'the backoff throws': {
    body: HALF + END,
    resume: { resumeAtEnd },
    policy: { backoff: fails },
    isThrown: true,
  },
  'there are no resumptions': { body: HALF + END, resume: { resumeAtEnd, maxResumes: 0 } },
  'the total timeout covers the body': {
    body: HALF + END,
    resume: { resumeAtEnd },
    policy: { totalTimeoutMs: 60_000, totalTimeoutCovers: 'body' },
  },
  'the dispatcher is destroyed before the request for the rest': {
    body: HALF + END,
    resume: { resumeAtEnd },
    policy: { onEvent: ({ type }) => void (type === 'resume' && destroy()) },
  },
  'the body is malformed': { body: HALF + NO_CHUNK, resume: { maxResumes: 0 } },
  'the body is malformed during a look': {
    body: HALF + NO_CHUNK,
    resume: { maxResumes: 0 },
    policy: { inspect: inspectBody(async (response) => void (await response.text())), maxRetries: 0 },
  },
  'classify throws': { body: HALF + END, policy: { classify: fails }, isThrown: true },
  'inspect throws': { body: HALF + END, policy: { inspect: inspectBody(fails) }, isThrown: true },
});

const names = Object.keys(rows(() => undefined));
const ways = readers.filter(({ name }) => /text\(\)|stream|pipeline/.test(name));

describe.each(ways.map((reader) => [reader.name, reader] as const))('%s', (_, { version, read }) => {
  const { Agent } = versions[version] as (typeof versions)[string];

  test.each(names)(
    'fails if %s',
    async (name) => {
      const agent = new Agent();
      const row = rows(() => void agent.destroy())[name] as Row;
      await using server = await rawUpstream((socket) => socket.write(HEAD + row.body));
      const policy = createPolicy({ backoff: constant(0), ...row.policy });
      const dispatcher = agent.compose(ebbInterceptor(policy), resumable({ policy, ...row.resume }));
      try {
        const thrown = await read(server.url, dispatcher).then(
          () => undefined,
          (error: unknown) => error as Error,
        );
        expect(thrown).toBeInstanceOf(Error);
        // A fetch that has no response yet has the error as its cause.
        if (row.isThrown) expect([thrown, thrown?.cause]).toContainEqual(expect.any(HookError));
      } finally {
        await agent.destroy();
      }
    },
    STUCK_MS,
  );
});

test('a handler that aborts before it gets the error gets the reason of its abort', async () => {
  const wire = new Wire();
  const spy = new HandlerSpy();
  const get = { origin: 'http://upstream.test', path: '/', method: 'GET' } as const;
  resumable({ isLast: fails })(wire.dispatch)(get, spy);
  wire.attempt(1).start().head(200, { 'content-type': 'text/event-stream' }).data('data: [DONE]\n\n');
  expect(spy.calls).toEqual(['start', 'head 200']);
  const reason = new Error('enough');
  spy.controller?.abort(reason);
  await nextTurn();
  await nextTurn();
  expect(spy.calls).toEqual(['start', 'head 200', 'error enough']);
  expect(spy.error).toBe(reason);
  expect(wire.attempt(1).connection.aborted).toBe(true);
});
