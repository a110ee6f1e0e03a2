import { describe, expect, test } from 'vitest';
import type { EbbEvent } from '../events/events.ts';
import type { Outcome } from '../http/outcome.ts';
import type { Middleware } from '../policy/middleware.ts';
import { createPolicy } from '../policy/policy.ts';
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
  const request = { method: 'PUT', url: 'http://upstream.test/', replayable: false, header: () => undefined };
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

  test('is closed if the part fails', async () => {
    const { client, reasons, result } = setUp(() => Promise.reject(error));
    expect(await result).toBe(error);
    expect([client.sent, client.unsentFor, reasons]).toEqual([0, [error], ['short-circuited']]);
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
