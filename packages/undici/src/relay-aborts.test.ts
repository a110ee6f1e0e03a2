import { attemptsOf } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import { errors } from 'undici';
import { describe, expect, test } from 'vitest';
import { bucketThat } from '../test/bucket.ts';
import { begin, get, passBackoff, type Setting, setUp } from '../test/relay.ts';

describe('an abort', () => {
  const reason = new Error('enough');

  test('during the backoff ends it at once, and leaves no timer', async () => {
    const { wire, spy, clock, events } = begin();
    wire.attempt(1).start().head(503).end();
    spy.controller?.abort(reason);
    expect(spy.controller).toMatchObject({ aborted: true, reason });
    await nextTurn();
    expect(spy.calls).toEqual(['start', 'error enough']);
    expect(spy.error).toBe(reason);
    expect(attemptsOf(reason)).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'aborted' });
    await passBackoff(clock, 1e9);
    expect(wire.attempts).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  test('while a response is discarded aborts its connection', async () => {
    const { wire, spy, clock } = begin();
    wire.attempt(1).start().head(503).data('no');
    spy.controller?.abort(reason);
    expect(wire.attempt(1).connection.reason).toBe(reason);
    await nextTurn();
    expect(spy.error).toBe(reason);
    expect(clock.pending).toBe(0);
  });

  test('during an attempt reaches its connection', () => {
    const { wire, spy, dispatch, events } = setUp();
    const reason = new Error('enough');
    dispatch(get, spy);
    wire.attempt(1).start();
    spy.controller?.abort(reason);
    spy.controller?.abort(new Error('again'));
    expect(spy.controller?.reason).toBe(reason);
    expect(wire.attempt(1).connection.reason).toBe(reason);
    expect(spy.calls).toEqual(['start', 'error enough']);
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'aborted' });
    expect(attemptsOf(reason)).toMatchObject([{ failure: 'aborted', reason: 'aborted' }]);
  });

  test('in the body of the response reaches its connection, and there is no retry', () => {
    const { wire, spy } = begin();
    wire.attempt(1).start().head(200, { etag: '"a"', 'content-length': '10' }).data('12345');
    spy.controller?.abort(reason);
    expect(wire.attempt(1).connection.reason).toBe(reason);
    expect(spy.error).toBe(reason);
    expect(wire.attempts).toHaveLength(1);
  });

  test('while undici queues a retry ends the request, and the retry is not sent', async () => {
    const { wire, spy, clock } = begin();
    wire.attempt(1).start().head(503).end();
    await passBackoff(clock);
    spy.controller?.abort(reason);
    expect(spy.error).toBe(reason);
    wire.attempt(2).start();
    expect(wire.attempt(2).connection.reason).toBe(reason);
    expect(spy.calls).toEqual(['start', 'error enough']);
  });

  test('when the handler starts sends nothing', () => {
    const { wire, spy, dispatch } = setUp();
    spy.onRequestStart = (controller) => controller.abort(reason);
    dispatch(get, spy);
    wire.attempt(1).start();
    expect(wire.attempt(1).connection.aborted).toBe(true);
    expect(spy.calls).toEqual(['error enough']);
  });

  test('by an observer, just before a retry, prevents the retry', async () => {
    const setting: Setting = setUp({
      onEvent: ({ type, attempt }) => {
        if (type === 'attempt' && attempt === 2) setting.spy.controller?.abort(reason);
      },
    });
    const { wire, spy, clock, dispatch } = setting;
    dispatch(get, spy);
    wire.attempt(1).start().head(503).end();
    await passBackoff(clock);
    expect(wire.attempts).toHaveLength(1);
    expect(spy.calls).toEqual(['start', 'error enough']);
  });

  test('while waiting for a token returns the token, and sends nothing', async () => {
    const asked: (AbortSignal | undefined)[] = [];
    const bucket = bucketThat({
      tryAcquire: () => false,
      acquire: ({ signal }) => {
        asked.push(signal);
        return new Promise<never>((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
        });
      },
    });
    const { wire, spy, dispatch } = setUp({ bucket });
    expect(dispatch(get, spy)).toBe(true);
    expect(spy.calls).toEqual(['start']);
    await nextTurn();
    spy.controller?.abort(reason);
    await nextTurn();
    expect(spy.error).toBe(reason);
    expect(asked[0]?.reason).toBe(reason);
    expect(wire.attempts).toHaveLength(0);
  });

  test('without a reason has undici’s own error', async () => {
    const { wire, spy } = begin();
    wire.attempt(1).start().head(503).end();
    spy.controller?.abort(undefined as never);
    await nextTurn();
    expect(spy.error).toBeInstanceOf(errors.RequestAbortedError);
    expect(spy.error).toMatchObject({ name: 'AbortError', code: 'UND_ERR_ABORTED' });
  });

  test('after the end does nothing', () => {
    const { wire, spy } = begin();
    wire.attempt(1).start().head(200).end();
    spy.controller?.abort(reason);
    expect(spy.calls.at(-1)).toBe('end {}');
    expect(wire.attempt(1).connection.calls).toEqual([]);
  });
});
