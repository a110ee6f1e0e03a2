import diagnostics from 'node:diagnostics_channel';
import { describe, expect, test } from 'vitest';
import { countLayer, noteEnd } from '#layers';
import { constant } from '../backoff/curves.ts';
import type { Passage, Way } from '../layers/layer.ts';
import { virtualClock } from '../testing.ts';
import { AtOnce, type ClientAtOnce, hasReachedLayer, mayBeSentAtOnce } from './at-once.ts';
import { attemptsOf } from './history.ts';
import type { PolicyOptions } from './options.ts';
import { createPolicy } from './policy.ts';

interface Result {
  readonly status?: unknown;
}

type Step = Result | Error | ((passage: Passage | undefined) => unknown);

const clock = virtualClock({ startMs: 0 });
const policy = createPolicy({ clock, backoff: constant(0), maxRetries: 1 });

/** A client that sends as its script says; what comes after the first attempts of calls is `later`. */
function clientWith(script: readonly Step[], way: Way = 'socket', later: Result = { status: 200 }) {
  const passages: (Passage | undefined)[] = [];
  const made: string[] = [];
  let sent = 0;
  const request = { method: 'GET', url: 'http://a.test/', replayable: true, header: () => undefined };
  const client: ClientAtOnce<Result, string, string> = {
    policy,
    way,
    call(input, init) {
      made.push(`${input} ${init}`);
      return {
        ...request,
        send: async () => later,
        outcome: ({ status }) => ({ type: 'response', status: status as number, header: () => undefined }),
        failure: (error) => ({ type: 'failure', kind: 'network', error }),
        setAside: () => undefined,
      };
    },
    send(_input, _init, passage) {
      passages.push(passage);
      const step = script[sent] ?? script.at(-1);
      sent += 1;
      if (typeof step === 'function') return step(passage) as Promise<Result>;
      return step instanceof Error ? Promise.reject(step) : Promise.resolve(step as Result);
    },
  };
  const ask = () => new AtOnce(client, 'input', 'init').send();
  return { client, passages, made, ask };
}

const reasonsOf = (value: unknown) => attemptsOf(value).map(({ reason }) => reason);

describe('a call may be sent at once', () => {
  test.each<[options: PolicyOptions, isTaken: boolean | undefined, may: boolean]>([
    [{}, undefined, true],
    [{ attemptTimeoutMs: 5 }, undefined, false],
    [{ onEvent: () => undefined }, false, false],
    [{ attemptTimeoutMs: 5 }, true, true],
  ])('with the policy %j, whose parts take what they need: %s', (options, isTaken, may) => {
    expect(mayBeSentAtOnce(createPolicy({ clock, ...options }), isTaken)).toBe(may);
  });

  test.each(['attempt', 'end'])('if no one listens to %s', (type) => {
    const listen = () => undefined;
    diagnostics.subscribe(`ebb:${type}`, listen);
    const heard = mayBeSentAtOnce(policy);
    diagnostics.unsubscribe(`ebb:${type}`, listen);
    expect([heard, mayBeSentAtOnce(policy)]).toEqual([false, true]);
  });

  test('unless it is within another', async () => {
    const within: boolean[] = [];
    const { ask } = clientWith(
      [
        async () => {
          within.push(mayBeSentAtOnce(policy));
          await Promise.resolve();
          within.push(mayBeSentAtOnce(policy));
          return { status: 200 };
        },
      ],
      'function',
    );
    await ask();
    expect([...within, mayBeSentAtOnce(policy)]).toEqual([false, false, true]);
  });
});

describe('the first attempt', () => {
  test.each([200, 399])('with a status of %i ends the call, and no request is made', async (status) => {
    const result = { status };
    const { ask, made } = clientWith([result]);
    expect(await ask()).toBe(result);
    expect([reasonsOf(result), made]).toEqual([['success'], []]);
  });

  test.each<[what: string, step: Step, reasons: string[]]>([
    ['an error of the server', { status: 503 }, ['transient', 'success']],
    ['an error that rejects', new Error('reset'), ['transient', 'success']],
    [
      'an error that throws',
      () => {
        throw new Error('reset');
      },
      ['transient', 'success'],
    ],
    ['a status of 400', { status: 400 }, ['final']],
    ['no promise', () => ({ status: 503 }), ['transient', 'success']],
  ])('that comes to %s is judged as any other', async (_, step, reasons) => {
    const { ask, made } = clientWith([step]);
    const result = await ask();
    expect([reasonsOf(result), made]).toEqual([reasons, ['input init']]);
  });

  test('whose request was repeated below, and has failed, is the last', async () => {
    const error = new Error('reset below');
    const { ask } = clientWith(
      [
        (passage) => {
          Object.assign(passage ?? {}, { hasFailed: true });
          return Promise.reject(error);
        },
      ],
      'function',
    );
    await expect(ask()).rejects.toBe(error);
    expect(attemptsOf(error)).toMatchObject([{ attempt: 1 }]);
  });

  test('which has a history of such a layer keeps that', async () => {
    const error = new Error('reset below');
    const below = clientWith([error], 'socket', { status: 503 });
    const { ask } = clientWith(
      [
        async (passage) => {
          Object.assign(passage ?? {}, { hasFailed: true });
          await below.ask().catch(() => undefined);
          throw error;
        },
      ],
      'function',
    );
    await expect(ask()).rejects.toBe(error);
    expect(attemptsOf(error)).toHaveLength(1);
  });
});

describe('what layers below see', () => {
  test('is the call itself, which is open while its first attempt is sent', async () => {
    const seen: unknown[] = [];
    const { ask, passages, made } = clientWith(
      [
        (passage) => {
          const call = passage?.call as AtOnce<Result, string, string>;
          seen.push(
            call === passage,
            call.open,
            call.dispatched,
            call.tookFrom,
            call.slotsOf,
            call.request.url,
          );
          return Promise.resolve({ status: 200 });
        },
      ],
      'function',
    );
    await ask();
    expect(seen).toEqual([true, true, false, [], [], 'http://a.test/']);
    const [passage] = passages as [Passage];
    expect([passage.call.open, hasReachedLayer(passage), made]).toEqual([false, false, ['input init']]);
  });

  test('is nothing where no layer can be', async () => {
    const { ask, passages } = clientWith([{ status: 200 }]);
    await ask();
    expect(passages).toEqual([undefined]);
  });

  test('is looked for by eight calls, and no more if none has found anything', async () => {
    const { ask, passages, client } = clientWith([{ status: 200 }], 'function');
    for (let calls = 0; calls < 10; calls += 1) await ask();
    expect(passages.map((passage) => passage !== undefined)).toEqual([...Array(8).fill(true), false, false]);
    expect(client).toMatchObject({ hasBelow: false, looks: 8 });
  });

  test('is shown for ever once one has', async () => {
    const reaches: Step = (passage) => {
      Object.assign(passage?.call ?? {}, { isReached: true });
      return Promise.resolve({ status: 200 });
    };
    const { ask, passages, client } = clientWith([{ status: 200 }, reaches, { status: 200 }], 'function');
    for (let calls = 0; calls < 12; calls += 1) await ask();
    expect(passages.every((passage) => passage !== undefined)).toBe(true);
    expect(client).toMatchObject({ hasBelow: true, looks: 1 });
    expect(passages.map((passage) => hasReachedLayer(passage as Passage)).indexOf(true)).toBe(1);
  });

  test('is shown again once a result has a note of one', async () => {
    countLayer();
    countLayer();
    const noted = { status: 503 };
    const { ask, client } = clientWith([
      () => {
        noteEnd(noted);
        return Promise.resolve(noted);
      },
    ]);
    await ask();
    expect(client.hasBelow).toBe(true);
  });
});
