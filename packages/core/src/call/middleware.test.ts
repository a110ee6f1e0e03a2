import { describe, expect, test, vi } from 'vitest';
import { REQUEST } from '../../test/call-with-limits.ts';
import { nextTurn } from '../base/clock.ts';
import type { EbbEvent } from '../events/events.ts';
import type { Outcome } from '../http/outcome.ts';
import type { Middleware } from '../policy/middleware.ts';
import type { PolicyOptions } from '../policy/options.ts';
import { createPolicy } from '../policy/policy.ts';
import { virtualClock } from '../testing.ts';
import { attemptsOf } from './history.ts';
import { run } from './run.ts';
import { startCall, type Transport } from './transport.ts';

const error = new Error('broke');

/** A client whose upload fails when it is told to. */
class Uploading implements Transport<string> {
  sent = 0;
  followed = 0;
  unsentFor: unknown[] = [];
  fail: (reason: unknown) => void = () => undefined;
  followUpload = (failed: (reason: unknown) => void) => {
    this.followed += 1;
    this.fail = failed;
    return () => {
      this.followed = 0;
    };
  };
  async send() {
    this.sent += 1;
    expect(this.followed).toBe(0);
    return 'sent';
  }
  outcome(): Outcome {
    return { type: 'response', status: 200, header: () => undefined };
  }
  failure(thrown: unknown): Outcome {
    return { type: 'failure', kind: 'unknown', error: thrown };
  }
  setAside() {
    return undefined;
  }
  unsent(reason: unknown) {
    expect(this.followed).toBe(0);
    this.unsentFor.push(reason);
  }
}

function setUp(...answers: readonly Middleware<string>[]) {
  const client = new Uploading();
  const reasons: string[] = [];
  const onEvent = (event: EbbEvent): void => void (event.type === 'end' && reasons.push(event.reason));
  const policy = createPolicy({ middleware: answers, onEvent });
  const request = { ...REQUEST, method: 'PUT', replayable: false };
  const result = run(startCall(policy, request), client).catch((thrown: unknown) => thrown);
  return { client, reasons, result };
}

test('middleware that answers by itself need not wait for a `next` that rejects', async () => {
  const answers: Middleware<string> = (_, next) => {
    void next();
    return 'kept';
  };
  const { result } = setUp(answers, async () => {
    throw error;
  });
  expect(await result).toBe('kept');
  // A rejection that nobody handles fails the run.
  await new Promise(setImmediate);
});

describe('the upload of a call with middleware', () => {
  test('is closed if the middleware answers', async () => {
    const { client, reasons, result } = setUp(() => 'kept');
    expect(await result).toBe('kept');
    expect([client.sent, client.unsentFor, reasons]).toEqual([0, [undefined], ['short-circuited']]);
  });

  test('is left to the client once it is sent', async () => {
    const { client, reasons, result } = setUp((_, send) => send());
    expect(await result).toBe('sent');
    expect([client.sent, client.unsentFor, reasons]).toEqual([1, [], ['success']]);
  });

  test('ends the call at once if it fails, and is not sent after that', async () => {
    const asked = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    const { client, reasons, result } = setUp(async ({ signal }, send) => {
      await asked.promise;
      expect(signal.reason).toBe(error);
      send().catch(late.resolve);
      return 'late';
    });
    client.fail(error);
    expect(await result).toBe(error);
    expect([client.unsentFor, reasons]).toEqual([[error], ['final']]);
    asked.resolve();
    expect(await late.promise).toBe(error);
    expect(client.sent).toBe(0);
  });
});

describe('a call with middleware', () => {
  /** A call of a client that answers when the test says so. */
  function waiting(middleware: Middleware<object>, options: PolicyOptions = {}, signal?: AbortSignal) {
    const clock = virtualClock({ startMs: 0 });
    const gate = Promise.withResolvers<object>();
    const client: Transport<object> = {
      send: vi.fn(() => gate.promise),
      outcome: () => ({ type: 'response', status: 200, header: () => undefined }),
      failure: (thrown) => ({
        type: 'failure',
        kind: signal?.aborted ? 'aborted' : 'unknown',
        error: thrown,
      }),
      setAside: vi.fn(() => undefined),
      unsent: vi.fn(),
      timeoutError: (timeoutMs) => new Error(`late by ${timeoutMs}`),
    };
    const ends: EbbEvent[] = [];
    const onEvent = (event: EbbEvent): void => void (event.type === 'end' && ends.push(event));
    const policy = createPolicy({ clock, middleware: [middleware], onEvent, maxRetries: 0, ...options });
    const result = run(startCall(policy, REQUEST), client, signal).catch((thrown: unknown) => ({ thrown }));
    return { clock, client, ends, gate, result };
  }

  const never = () => new Promise<never>(() => undefined);
  const reasonsOf = (value: unknown) => attemptsOf(value).map(({ reason }) => reason);

  test('that answers with another result notes the history of what was sent on it', async () => {
    const made = { status: 'made' };
    const { gate, result } = waiting(async (_, next) => {
      await next();
      return made;
    });
    gate.resolve({});
    expect(await result).toBe(made);
    expect(reasonsOf(made)).toEqual(['success']);
  });

  test('that fails after the send notes the history on its error, unless the error has one', async () => {
    const own = new Error('own');
    const { gate, result } = waiting(async (_, next) => {
      await next();
      throw own;
    });
    gate.resolve({});
    expect(await result).toEqual({ thrown: own });
    expect(reasonsOf(own)).toEqual(['success']);
    const refused = waiting((_, next) => next());
    const lost = new Error('lost');
    refused.gate.reject(lost);
    expect(await refused.result).toEqual({ thrown: lost });
    expect(reasonsOf(lost)).toEqual(['final']);
  });

  test('ends at an abort before the send, which notes nothing on its reason', async () => {
    const abort = new AbortController();
    const reason = new Error('enough');
    const seen: unknown[] = [];
    const { client, ends, result } = waiting(
      ({ signal }) => {
        signal.addEventListener('abort', () => seen.push(signal.reason));
        return never();
      },
      {},
      abort.signal,
    );
    abort.abort(reason);
    expect(await result).toEqual({ thrown: reason });
    expect([seen, reasonsOf(reason)]).toEqual([[reason], []]);
    expect(ends).toMatchObject([{ reason: 'aborted', outcome: undefined, error: { name: 'Error' } }]);
    expect(client.unsent).toHaveBeenCalledExactlyOnceWith(reason);
  });

  test('ends at its total timeout before the send, and a later `next` sends nothing', async () => {
    const asked = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    const { clock, client, ends, result } = waiting(
      async (_, next) => {
        await asked.promise;
        next().catch(late.resolve);
        return {};
      },
      { totalTimeoutMs: 100 },
    );
    await clock.advance(99);
    expect(ends).toEqual([]);
    await clock.advance(1);
    expect(await result).toMatchObject({ thrown: { message: 'late by 100' } });
    expect(ends).toMatchObject([{ reason: 'deadline-exceeded' }]);
    asked.resolve();
    expect(await late.promise).toMatchObject({ message: 'late by 100' });
    await nextTurn();
    expect(client.send).not.toHaveBeenCalled();
    // The answer of the middleware is discarded.
    expect(client.setAside).toHaveBeenCalledTimes(1);
  });

  test('keeps the total timeout of the client once it is sent', async () => {
    const { clock, gate, result } = waiting((_, next) => next(), { totalTimeoutMs: 100 });
    await clock.advance(150);
    const response = {};
    gate.resolve(response);
    expect(await result).toBe(response);
    expect(clock.pending).toBe(0);
  });

  test('that is aborted while it is sent ends as its client does', async () => {
    const abort = new AbortController();
    const { client, gate, result } = waiting((_, next) => next(), {}, abort.signal);
    await nextTurn();
    abort.abort(new Error('enough'));
    await nextTurn();
    const own = new Error('of the client');
    gate.reject(own);
    expect(await result).toEqual({ thrown: own });
    expect(client.unsent).not.toHaveBeenCalled();
  });

  test('that was answered sends nothing after that', async () => {
    const asked = Promise.withResolvers<unknown>();
    const { client, ends, result } = waiting((_, next) => {
      setImmediate(() => next().catch(asked.resolve));
      return {};
    });
    await result;
    expect(await asked.promise).toMatchObject({ message: 'next: the call has been answered' });
    expect(ends).toMatchObject([{ reason: 'short-circuited' }]);
    expect(client.send).not.toHaveBeenCalled();
  });

  test('is sent once, however often `next` is called', async () => {
    const { client, gate, result } = waiting(async (_, next) => {
      const both = [next(), next()];
      expect(both[0]).toBe(both[1]);
      return next();
    });
    gate.resolve({});
    await result;
    expect(client.send).toHaveBeenCalledTimes(1);
  });
});
