import { createPolicy, type Plugin, type PolicyOptions } from '@ebb/core';
import { expect, test } from 'vitest';
import { get, setUp } from '../test/relay.ts';
import { ebbInterceptor } from './index.ts';

const LINE = "such as trustedOrigins: ['https://api.example.com'], got undefined";
const signs: Plugin = { name: 'signs', beforeAttempt: () => ({ token: 'a' }) };
const labels: Plugin = { name: 'labels', publicHeaders: () => ({ trace: 'b' }) };
const credential: PolicyOptions = { beforeAttempt: () => ({ token: 'a' }) };

test.each<[story: string, options: PolicyOptions, giver: string | undefined]>([
  ['beforeAttempt', credential, 'beforeAttempt'],
  ['a plugin that adds headers', { plugins: [labels, signs] }, 'signs'],
  ['a key and public headers', { idempotencyKey: true, plugins: [labels] }, undefined],
  ['beforeAttempt for no one', { ...credential, trustedOrigins: [] }, undefined],
])('%s', (_, options, giver) => {
  for (const policy of [options, createPolicy(options)]) {
    const make = (): unknown => ebbInterceptor(policy);
    if (giver === undefined) expect(make).not.toThrow();
    else {
      expect(make).toThrow(TypeError);
      expect(make).toThrow(`ebbInterceptor: trustedOrigins must be set beside ${giver}, ${LINE}`);
    }
  }
});

test('options of one request are checked by the request', () => {
  const { wire, spy, dispatch } = setUp({ trustedOrigins: undefined });
  dispatch({ ...get, ebb: credential }, spy);
  expect(spy.error).toBeInstanceOf(TypeError);
  expect(spy.error).toMatchObject({
    message: `ebb: trustedOrigins must be set beside beforeAttempt, ${LINE}`,
  });
  expect(wire.attempts).toHaveLength(0);
});

/** What is sent as `token`, or the error. */
function sent(trustedOrigins: PolicyOptions['trustedOrigins'], options: object): unknown {
  const { wire, spy, dispatch } = setUp({ ...credential, trustedOrigins });
  dispatch({ ...get, ...options }, spy);
  if (spy.error !== undefined) return spy.error;
  const headers = wire.attempt(1).options.headers as Record<string, string> | undefined;
  return headers?.token;
}

const list = ['http://upstream.test'];
const all = (): boolean => true;

test.each<
  [story: string, trusted: PolicyOptions['trustedOrigins'], options: object, token: string | undefined]
>([
  ['an origin', list, {}, 'a'],
  ['an origin with a slash', list, { origin: 'http://UPSTREAM.test:80/' }, 'a'],
  ['an origin that is a URL', list, { origin: new URL('http://upstream.test') }, 'a'],
  ['another origin', list, { origin: 'http://other.test' }, undefined],
  ['another scheme', list, { origin: 'https://upstream.test' }, undefined],
  ['a whole path, as for a proxy', list, { path: 'http://upstream.test/a' }, 'a'],
  [
    'another host in the query',
    list,
    { origin: 'http://other.test', path: '/?http://upstream.test/' },
    undefined,
  ],
  ['another Host', list, { origin: 'http://other.test', headers: { host: 'upstream.test' } }, undefined],
  ['no origin, and a function', all, { origin: undefined }, 'a'],
])('%s', (_, trusted, options, token) => {
  expect(sent(trusted, options)).toBe(token);
});

test.each<[story: string, trusted: PolicyOptions['trustedOrigins'], options: object]>([
  ['no origin, and a list', list, { origin: undefined }],
  ['a path that names another origin', list, { origin: 'http://other.test', path: 'http://upstream.test/' }],
  ['the same, and a function', all, { origin: 'http://other.test', path: 'http://upstream.test/' }],
])('%s: an error, since it is not known who gets the credential', (_, trusted, options) => {
  const error = sent(trusted, options);
  expect(error).toBeInstanceOf(TypeError);
  expect((error as Error).message).toMatch(/^ebb: .*trustedOrigins.*`origin`/);
});
