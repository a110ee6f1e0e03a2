import { attemptsOf, constant } from '@ebb/core';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { passBackoff, setUp } from '../test/relay.ts';
import { Connection, type Dispatched } from '../test/wire.ts';

// undici itself repeats what an HTTP/2 server has not processed: it starts the same request again, on a controller of its own.

const post = { origin: 'http://upstream.test', path: '/', method: 'POST', body: 'money' } as const;
const refused = (): Error =>
  Object.assign(new Error('Stream closed with error code NGHTTP2_REFUSED_STREAM'), {
    code: 'ERR_HTTP2_STREAM_ERROR',
  });
const goneAway = (): Error =>
  Object.assign(new Error('HTTP/2: "GOAWAY" frame received with code 0'), { code: 'UND_ERR_INFO' });

/** The controller of undici 8, which has the raw headers of a response. */
function controller(handler: Dispatcher.DispatchHandler, isAnswered = false): Connection {
  return Object.assign(new Connection(handler), { rawHeaders: isAnswered ? [] : null });
}

type Controllers = (handler: Dispatcher.DispatchHandler) => readonly unknown[];

const repeated: Controllers = (handler) => [controller(handler), controller(handler)];
const redirected: Readonly<Record<string, Controllers>> = {
  'the first start was answered': (handler) => [controller(handler, true), controller(handler)],
  'one of three was': (handler) => [controller(handler, true), ...repeated(handler)],
  'an interceptor has one controller for all starts': (handler) => Array(2).fill(controller(handler)),
  'an interceptor has controllers that only pass on': (handler) =>
    repeated(handler).map((one) => Object.create(one as object)),
  'undici 7 does not say': (handler) =>
    repeated(handler).map((one) => Object.assign(one as Connection, { rawHeaders: undefined })),
  'there was no controller': (handler) => [undefined, controller(handler)],
};

async function sent(controllers: Controllers, end: (attempt: Dispatched) => unknown) {
  const { wire, spy, clock, dispatch } = setUp({ backoff: constant(0), maxRetries: 1 });
  dispatch(post, spy);
  const attempt = wire.attempt(1);
  for (const one of controllers(attempt.handler)) attempt.handler.onRequestStart(one as never, null);
  end(attempt);
  await passBackoff(clock);
  const reason = attemptsOf(spy.error ?? spy.context)[0]?.reason;
  return { reason, attempts: wire.attempts.length };
}

const failing = [refused, goneAway].map((error) => [error().message, error] as const);

describe.each(failing)('%s', (_, error) => {
  test('after a repetition by undici: nothing was processed, and a POST goes again', async () => {
    expect(await sent(repeated, (attempt) => attempt.fail(error()))).toMatchObject({ attempts: 2 });
  });

  test.each(Object.entries(redirected))('may be that of a redirect, if %s', async (_name, controllers) => {
    const got = await sent(controllers, (attempt) => attempt.fail(error()));
    expect(got).toEqual({ reason: 'not-idempotent', attempts: 1 });
  });
});
