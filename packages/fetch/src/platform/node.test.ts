import { Readable } from 'node:stream';
import { systemClock } from '@ebb/core/adapter';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { refusingUrl } from '../../../../test/refusing.ts';
import * as platform from './node.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

/** The module as a program has it that has sent nothing yet. */
async function fresh(process?: object): Promise<typeof platform> {
  if (process !== undefined) vi.stubGlobal('process', process);
  vi.resetModules();
  return import('./node.ts');
}

const { getBuiltinModule } = process;
const post = { method: 'POST', url: 'http://a.test/pay?n=1#top', replayable: true, header: () => undefined };
const own = { origin: 'http://a.test', path: '/pay?n=1', method: 'POST' };

describe('a failed attempt failed at its first hop', () => {
  test.each<[story: string, sent: readonly (object | undefined)[], expected: boolean]>([
    ['if it sent one request, to its own URL', [own], true],
    ['also if the method is in lower case', [{ ...own, method: 'post' }], true],
    ['also after the request for a tunnel', [{ ...own, method: 'CONNECT' }, own], true],
    ['not if it sent nothing', [], false],
    ['not if it sent two requests', [own, own], false],
    ['not if it sent a tunnel alone', [{ ...own, method: 'CONNECT' }], false],
    ['not if it sent one to another origin', [{ ...own, origin: 'http://b.test' }], false],
    ['not if it sent one to another path', [{ ...own, path: '/pay?n=2' }], false],
    ['not if it sent one with another method', [{ ...own, method: 'GET' }], false],
    ['not if nothing is known of the request', [undefined], false],
  ])('%s', (_, sent, expected) => {
    const hops = new platform.Hops();
    for (const request of sent) hops.record(request);
    expect(hops.failedAtFirst(post)).toBe(expected);
    expect(platform.wasRedirected(new Error('no'), post, hops, false)).toBe(!expected);
  });

  test('not if its URL is none', () => {
    const hops = new platform.Hops();
    hops.record(own);
    expect(hops.failedAtFirst({ ...post, url: 'pay' })).toBe(false);
  });
});

interface Counting {
  readonly attempt?: number;
  readonly methods?: string | readonly string[];
  readonly isInner?: boolean;
}

test.each<[story: string, call: Counting, request: object, isCounted: boolean]>([
  ['a POST that may be repeated', {}, {}, true],
  ['the last retry', { attempt: 2 }, {}, true],
  ['an attempt after which there is none', { attempt: 3 }, {}, false],
  ['an inner layer', { isInner: true }, {}, false],
  ['a POST of which all is repeated', { methods: 'all' }, {}, false],
  ['a GET', {}, { method: 'GET' }, false],
  ['a DELETE', {}, { method: 'DELETE' }, false],
  ['a GET, with methods of the user', { methods: ['POST'] }, { method: 'GET' }, true],
  ['a POST that follows no redirects', {}, { followsRedirects: false }, false],
])('the hops of %s', (_, { attempt = 1, methods = 'idempotent', isInner = false }, own, isCounted) => {
  const call = { attempt, isInner, policy: { maxRetries: 2, methods } };
  const hops = platform.hopsOf(call as never, { ...post, followsRedirects: true, ...own });
  expect(hops !== undefined).toBe(isCounted);
});

test.each<[runtime: string, process: object]>([
  ['whose fetch is not undici’s', { versions: { node: '24.0.0' }, getBuiltinModule }],
  ['without versions', { getBuiltinModule }],
  ['without modules of Node', { versions: process.versions }],
])('in a runtime %s an attempt is sent, and proves nothing', async (_, own) => {
  const subscribe = vi.spyOn(getBuiltinModule('node:diagnostics_channel'), 'subscribe');
  const { Hops, recordConnectErrors, wasRedirected } = await fresh(own);
  const hops = new Hops();
  expect(await hops.count(async () => 'sent')).toBe('sent');
  expect(hops.failedAtFirst(post)).toBe(false);
  recordConnectErrors();
  expect(subscribe).not.toHaveBeenCalled();
  expect(wasRedirected(new Error('no'), post, undefined, false)).toBeUndefined();
  subscribe.mockRestore();
});

test('an attempt knows its own requests, and the channel is listened to once', async () => {
  const url = `${await refusingUrl()}pay?n=1`;
  const { Hops } = await fresh();
  const subscribe = vi.spyOn(getBuiltinModule('node:diagnostics_channel'), 'subscribe');
  const send = (): Promise<Response> => fetch(url, { method: 'POST' });
  const [one, other] = [new Hops(), new Hops()];
  const failed = [one, other].map((hops) => hops.count(send).catch(() => undefined));
  await Promise.all([...failed, send().catch(() => undefined)]);
  expect([one, other].map((hops) => hops.failedAtFirst({ ...post, url }))).toEqual([true, true]);
  expect(subscribe.mock.calls.map(([channel]) => channel)).toEqual(['undici:request:create']);
  subscribe.mockRestore();
});

describe('a connection that failed', () => {
  /** Whether an attempt was redirected that failed with `error`, as undici has reported it. */
  async function redirected(message: object, error: unknown, url = post.url): Promise<unknown> {
    const { recordConnectErrors, wasRedirected } = await fresh();
    recordConnectErrors();
    const { channel } = getBuiltinModule('node:diagnostics_channel');
    channel('undici:client:connectError').publish(message);
    return wasRedirected(error, { ...post, url }, undefined, false);
  }

  const cause = new Error('refused');
  const connectParams = { protocol: 'http:', host: 'a.test' };

  test.each<[story: string, message: object, error: unknown, url: string, expected: unknown]>([
    ['to its own origin', { connectParams, error: cause }, { cause }, post.url, false],
    ['to another host', { connectParams, error: cause }, { cause }, 'http://b.test/', undefined],
    ['to another scheme', { connectParams, error: cause }, { cause }, 'https://a.test/', undefined],
    ['for a URL that is none', { connectParams, error: cause }, { cause }, 'a.test', undefined],
    ['of another attempt', { connectParams, error: cause }, { cause: new Error() }, post.url, undefined],
    ['without a cause', { connectParams, error: cause }, new Error(), post.url, undefined],
    ['with null for a cause', { connectParams, error: cause }, { cause: null }, post.url, undefined],
    ['with a text for a cause', { connectParams, error: cause }, { cause: 'no' }, post.url, undefined],
    ['whose origin is unknown', { error: cause }, { cause }, post.url, undefined],
    ['and its URL is none', { error: cause }, { cause }, 'a.test', undefined],
    ['without an error', { connectParams }, { cause }, post.url, undefined],
    ['with null for an error', { connectParams, error: null }, { cause }, post.url, undefined],
    ['with a text for an error', { connectParams, error: 'no' }, { cause: 'no' }, post.url, undefined],
  ])('%s', async (_, message, error, url, expected) => {
    const uncaught: unknown[] = [];
    const note = (thrown: unknown): number => uncaught.push(thrown);
    process.on('uncaughtException', note);
    expect(await redirected(message, error, url)).toBe(expected);
    // A subscriber that throws does so in the next tick.
    await new Promise(setImmediate);
    process.off('uncaughtException', note);
    expect(uncaught).toEqual([]);
  });

  test('is listened to once', async () => {
    const { recordConnectErrors } = await fresh();
    const subscribe = vi.spyOn(getBuiltinModule('node:diagnostics_channel'), 'subscribe');
    recordConnectErrors();
    recordConnectErrors();
    expect(subscribe).toHaveBeenCalledTimes(1);
    subscribe.mockRestore();
  });
});

describe('the end of a body', () => {
  const context = { method: 'GET', status: 200, signal: undefined, clock: systemClock };
  const endOf = (settled: unknown): Promise<void> =>
    new Promise((resolve) => platform.whenBodyEnds(settled, context, resolve));

  test.each<[story: string, settled: unknown]>([
    ['of no response', undefined],
    ['of a mock that is a text', 'text'],
    ['of a response without a body', new Response(null)],
    ['of a mock without one', {}],
    ['of a mock whose body is a text', { body: 'text' }],
    ['of a web stream', new Response('text')],
    ['of a stream of Node that is over', { body: Readable.from(['text']).resume() }],
  ])('%s', (_, settled) => endOf(settled));

  test('what is no stream is not watched', () => {
    expect(() => platform.whenRead({}, () => expect.fail('it ended'))).not.toThrow();
  });
});
