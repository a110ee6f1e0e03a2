import { describe, expect, test, vi } from 'vitest';
import { callTo, REQUEST } from '../../test/call-with-limits.ts';
import { throwing } from '../../test/throwing.ts';
import { constant } from '../backoff/curves.ts';
import { HookError } from '../base/errors.ts';
import type { Outcome } from '../http/outcome.ts';
import type { PolicyOptions } from '../policy/options.ts';
import { createPolicy } from '../policy/policy.ts';
import { virtualClock } from '../testing.ts';
import { Call } from './call.ts';
import { attemptsOf } from './history.ts';
import { run } from './run.ts';
import { startCall, type Transport, timeoutOf } from './transport.ts';

/** A client that responds with the statuses of a script, or rejects with its errors. */
function exchange(
  ...script: (number | Error)[]
): Transport<{ status: number }> & { readonly sent: number[]; discarded: unknown[] } {
  const sent: number[] = [];
  const discarded: unknown[] = [];
  return {
    sent,
    discarded,
    async send(call) {
      sent.push(call.attempt);
      const step = script[sent.length - 1] ?? 200;
      if (step instanceof Error) throw step;
      return { status: step };
    },
    outcome: ({ status }): Outcome => ({ type: 'response', status, header: () => undefined }),
    failure: (error): Outcome => ({ type: 'failure', kind: 'network', error }),
    setAside(settled) {
      discarded.push(settled);
      return undefined;
    },
  };
}

/** A call with the default backoff. */
const setUp = (options: PolicyOptions = {}) => callTo({ backoff: undefined, ...options });

test('a success is sent in the same turn, without a wait', async () => {
  const { clock, call } = setUp();
  const client = exchange(200);
  const running = run(call, client);
  expect(client.sent).toEqual([1]);
  expect(await running).toEqual({ status: 200 });
  expect(clock.pending).toBe(0);
});

test('a response that is retried is discarded, and the next attempt waits for that', async () => {
  const { clock, call } = setUp({ backoff: constant(0) });
  const released = Promise.withResolvers<void>();
  const client = { ...exchange(503, 200), setAside: vi.fn(() => ({ released: released.promise })) };
  const running = run(call, client);
  await clock.advance(0);
  expect(client.sent).toEqual([1]);
  released.resolve();
  expect((await running).status).toBe(200);
  expect(client.setAside).toHaveBeenCalledExactlyOnceWith({ status: 503 }, call, undefined);
});

describe('an abort', () => {
  test('is final, whatever error the client throws', async () => {
    const { call } = setUp();
    const controller = new AbortController();
    const reset = new Error('reset');
    const send = async () => {
      controller.abort();
      throw reset;
    };
    const client = { ...exchange(), send };
    await expect(run(call, client, controller.signal)).rejects.toBe(reset);
    expect(attemptsOf(reset)).toMatchObject([{ failure: 'aborted', reason: 'aborted' }]);
  });
});

describe('a hook that throws', () => {
  const boom = throwing();
  test.each<[keyof PolicyOptions, string]>([
    ['classify', 'classify failed: boom'],
    ['backoff', 'backoff failed: boom'],
  ])('%s rejects its request, and the response is discarded', async (hook, message) => {
    const client = exchange(503);
    const running = run(setUp({ [hook]: boom }).call, client);
    await expect(running).rejects.toThrow(HookError);
    await expect(running).rejects.toThrow(message);
    expect(client.discarded).toHaveLength(1);
  });
});

test('startCall: the policy without options, an override for options', () => {
  const policy = createPolicy();
  expect(startCall(policy, REQUEST).policy).toBe(policy);
  expect(startCall(policy, REQUEST, { maxRetries: 1 }).policy.maxRetries).toBe(1);
});

test('the total timeout in an attempt after a failed one gives the last response', async () => {
  const clock = virtualClock({ startMs: 0 });
  const policy = createPolicy({ clock, random: () => 0, backoff: constant(1), totalTimeoutMs: 100 });
  const client = exchange(503, new Error('lost'));
  const { failure } = client;
  let isLate = false;
  client.send = async (call) => {
    timeoutOf(call);
    client.sent.push(call.attempt);
    if (call.attempt === 1) return { status: 503 };
    if (call.attempt === 2) throw new Error('lost');
    await clock.sleep(100);
    isLate = true;
    throw new Error('late');
  };
  client.failure = (error) => (isLate ? { type: 'failure', kind: 'timeout', error } : failure(error));
  const result = run(new Call(policy, REQUEST), client);
  await clock.advance(200);
  expect(await result).toEqual({ status: 503 });
});

test('a response whose inspection runs into the total timeout is discarded for the one before', async () => {
  const clock = virtualClock({ startMs: 0 });
  const never = new Promise<undefined>(() => undefined);
  const judge = ({ status }: { readonly status: number }) => (status === 200 ? never : undefined);
  const plugins = [{ name: 'own', inspect: { judge } }];
  const options = { clock, random: () => 0, backoff: constant(1), totalTimeoutMs: 100, plugins };
  const client = exchange(503, 200);
  const { send } = client;
  client.send = (call) => {
    timeoutOf(call);
    return send(call);
  };
  const result = run(new Call(createPolicy(options), REQUEST), client);
  await clock.advance(200);
  expect([await result, client.discarded]).toEqual([{ status: 503 }, [{ status: 503 }, { status: 200 }]]);
});
