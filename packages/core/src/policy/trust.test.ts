import { describe, expect, test } from 'vitest';
import { to } from '../../test/asks.ts';
import { prepare } from '../../test/steps.ts';
import { Call } from '../call/call.ts';
import { createPolicy, type Plugin } from '../index.ts';
import { isTrusted, mustTrust } from './trust.ts';

describe('trustedOrigins', () => {
  test.each<[story: string, value: unknown, message: string]>([
    [
      'a text',
      'https://a.test',
      'a list such as [\'https://api.example.com\'], or a function, got "https://a.test"',
    ],
    [
      'a path',
      ['https://a.test/v1'],
      'an origin such as \'https://api.example.com\', got "https://a.test/v1"',
    ],
    ['a slash', ['https://a.test/'], 'an origin'],
    ['a host alone', ['a.test'], 'an origin'],
    ['a wildcard', ['https://*.a.test'], 'an origin'],
    ['upper case', ['https://A.test'], 'an origin'],
    ['the port of the scheme', ['https://a.test:443'], 'an origin'],
    ['another scheme', ['ftp://a.test'], 'an origin'],
    ['a URL', [new URL('https://a.test')], 'an origin'],
    ['nothing', [undefined], 'an origin'],
  ])('%s is an error that says what it takes', (_, trustedOrigins, message) => {
    expect(() => createPolicy({ trustedOrigins } as never)).toThrow(message);
    expect(() => createPolicy({ trustedOrigins } as never)).toThrow('createPolicy: trustedOrigins');
  });

  test.each<[story: string, trustedOrigins: unknown, url: string, isTrustedThere: boolean]>([
    ['none', undefined, 'https://b.test/', true],
    ['its origin', ['https://a.test'], 'https://a.test/x?y', true],
    ['its origin, the port named', ['https://a.test'], 'https://a.test:443/', true],
    ['another host', ['https://a.test'], 'https://a.test.b.test/', false],
    ['another port', ['https://a.test'], 'https://a.test:444/', false],
    ['another scheme', ['https://a.test'], 'http://a.test/', false],
    ['an empty list', [], 'https://a.test/', false],
    ['a text that is no URL', ['https://a.test'], 'a.test', false],
    ['one of several', ['https://a.test', 'http://[::1]:8080'], 'http://[::1]:8080/x', true],
    ['a function', ({ url }: { url: string }) => url.endsWith('/x'), 'https://a.test/x', true],
    ['a function', () => false, 'https://a.test/x', false],
  ])('of %s: %s and %s', (_, trustedOrigins, url, expected) => {
    expect(isTrusted(createPolicy({ trustedOrigins } as never), to(url))).toBe(expected);
  });

  test('a function that fails, or returns something else, is a HookError', () => {
    for (const trustedOrigins of [() => 'https://a.test', () => undefined, () => Promise.resolve(true)]) {
      const policy = createPolicy({ trustedOrigins } as never);
      expect(() => isTrusted(policy, to('https://a.test/'))).toThrow('trustedOrigins failed');
    }
  });

  test('the list is copied', () => {
    const trustedOrigins = ['https://a.test'];
    const policy = createPolicy({ trustedOrigins });
    trustedOrigins.push('https://b.test');
    expect(isTrusted(policy, to('https://b.test/'))).toBe(false);
  });
});

const plugin: Plugin = { name: 'signs', beforeAttempt: () => ({ a: '1' }) };

test.each<[story: string, options: object, giver: string | undefined]>([
  ['a hook', { beforeAttempt: () => undefined }, 'beforeAttempt'],
  ['a plugin', { plugins: [plugin] }, 'signs'],
  ['a hook and whom it trusts', { beforeAttempt: () => undefined, trustedOrigins: [] }, undefined],
  ['a key alone', { idempotencyKey: true }, undefined],
])('a client without origins refuses %s, and says which line to add', (_, options, giver) => {
  const check = (): void => mustTrust('ebbInterceptor', createPolicy(options));
  if (giver === undefined) expect(check).not.toThrow();
  else
    expect(check).toThrow(
      `ebbInterceptor: trustedOrigins must be set beside ${giver}, such as trustedOrigins: ['https://api.example.com'], got undefined`,
    );
});

describe('the headers of an attempt', () => {
  const asked: string[] = [];
  const note = (what: string, headers: Record<string, string>) => () => {
    asked.push(what);
    return headers;
  };
  const plugins: Plugin[] = [
    { name: 'signs', beforeAttempt: note('plugin', { a: 'plugin' }) },
    { name: 'labels', publicHeaders: note('public', { a: 'public', b: 'public' }) },
  ];
  const policy = createPolicy({
    plugins,
    idempotencyKey: () => 'key',
    beforeAttempt: note('beforeAttempt', { a: 'hook', b: 'hook' }),
    trustedOrigins: ['https://a.test'],
  });

  test.each([
    ['https://a.test/', ['public', 'beforeAttempt', 'plugin'], { a: 'plugin', b: 'hook' }],
    ['https://b.test/', ['public'], { a: 'public', b: 'public' }],
  ])('of a request to %s', (url, hooks, headers) => {
    asked.length = 0;
    const call = new Call(policy, { ...to(url), method: 'POST' });
    expect(prepare(call)).toBeUndefined();
    expect(asked).toEqual(hooks);
    expect(call.headerChanges).toEqual({ 'idempotency-key': 'key', ...headers });
  });
});
