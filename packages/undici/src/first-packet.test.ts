import { HookError, inspectBody, type PolicyOptions } from '@ebb/core';
import { type ResumableOptions, resumable } from '@ebb/resume/undici';
import { expect, onTestFinished, test } from 'vitest';
import { clients } from '../test/clients.ts';
import { rawUpstream } from '../test/upstream.ts';
import { ebbInterceptor } from './index.ts';

// A body that fails in the packet of its headers. undici's fetch has not made the body by then, and never ends if it hears the error.

/** Far longer than any of these takes. A reader that waits for ever fails alone. */
const STUCK_MS = 10_000;
const HEAD = 'HTTP/1.1 200 x\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const EVENT = '8\r\ndata: a\n\r\n';

const fails = (): never => {
  throw new SyntaxError('Unexpected token D');
};
const rows: readonly (readonly [string, body: string, ResumableOptions, PolicyOptions?])[] = [
  ['isLast throws', `${EVENT}1\r\n\n\r\n`, { isLast: fails }],
  ['there are no resumptions', `${EVENT}0\r\n\r\n`, { resumeAtEnd: true, maxResumes: 0 }],
  [
    'it is malformed during a look',
    `${EVENT}zz\r\n`,
    { maxResumes: 0 },
    { inspect: inspectBody(async (response) => void (await response.text())), maxRetries: 0 },
  ],
];

test.each(clients.flatMap((client) => rows.map((row) => [client.name, row[0], client, row] as const)))(
  '%s fails if %s',
  async (_, what, { undici, send }, [, body, resume, options]) => {
    await using server = await rawUpstream((socket) => socket.write(HEAD + body));
    const agent = new undici.Agent();
    onTestFinished(() => agent.destroy());
    const dispatcher = agent.compose(ebbInterceptor(options), resumable(resume));
    const error: Error = await send(server.url, dispatcher).then(
      (got) =>
        got.text().then(
          () => expect.fail('it has ended'),
          (thrown) => thrown,
        ),
      (thrown) => thrown,
    );
    if (what.endsWith('throws')) expect([error, error.cause]).toContainEqual(expect.any(HookError));
    else expect(error.message).not.toBe('it has ended');
  },
  STUCK_MS,
);
