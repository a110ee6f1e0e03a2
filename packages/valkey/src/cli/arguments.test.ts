import { describe, expect, test } from 'vitest';
import { readArguments, UsageError } from './arguments.ts';
import { HELP, RIGHTS } from './help.ts';

const read = (line: string, env: Record<string, string> = {}): ReturnType<typeof readArguments> =>
  readArguments(line.split(' ').filter(Boolean), env);

describe('the command line of ebb-valkey', () => {
  test('has its defaults', () => {
    expect(read('inspect api')).toEqual({
      ...{ command: 'inspect', key: 'api', process: '', prefix: 'ebb:', limit: {}, unit: undefined },
      target: {
        url: new URL('redis://127.0.0.1:6379'),
        cluster: false,
        clients: ['iovalkey', 'ioredis', 'redis', '@valkey/valkey-glide'],
      },
      ...{ json: false, once: false, yes: false, ifVersion: undefined },
    });
  });

  test.each<[line: string, has: object]>([
    ['watch', { command: 'watch', key: '' }],
    ['watch mod --once --json', { key: 'mod', once: true, json: true }],
    ['set api --rate 20', { limit: { refillPerSecond: 20 } }],
    [
      'set api --unit tokens --rate 1e3 --capacity 0.5 --if-version 12 --yes',
      { unit: 'tokens', limit: { refillPerSecond: 1_000, capacity: 0.5 }, ifVersion: 12, yes: true },
    ],
    ['leave api a1b2c3d4 --yes', { process: 'a1b2c3d4', yes: true }],
    ['reset api --prefix shop:', { prefix: 'shop:' }],
    ['inspect api --client redis --cluster', { target: { clients: ['redis'], cluster: true } }],
    [
      'inspect api --url valkeys://user:secret@db:1/2',
      { target: { url: new URL('rediss://user:secret@db:1/2') } },
    ],
  ])('%s', (line, has) => {
    expect(read(line)).toMatchObject(has);
  });

  test('takes the address of the store from VALKEY_URL, and before it from --url', () => {
    const env = { VALKEY_URL: 'redis://one:1' };
    expect(read('inspect api', env)).toMatchObject({ target: { url: new URL('redis://one:1') } });
    expect(read('inspect api --url redis://two:2', env)).toMatchObject({
      target: { url: new URL('redis://two:2') },
    });
  });

  test.each<[line: string, is: string]>([
    ['', 'help'],
    ['--help', 'help'],
    ['set api -h', 'help'],
    ['--version', 'version'],
  ])('%j is %s', (line, is) => {
    expect(read(line)).toBe(is);
  });

  test.each<[line: string, message: string]>([
    ['show api', 'there is no command show; there are inspect, watch, set, leave, reset'],
    ['toString api', 'there is no command toString'],
    ['inspect', 'inspect takes KEY, got nothing'],
    ['inspect a b', 'inspect takes KEY, got a b'],
    ['leave api', 'leave takes KEY and PROCESS, got api'],
    ['watch a b', 'watch takes PREFIX, got a b'],
    ['inspect a{b}', 'KEY must be without braces, got a{b}'],
    ['inspect a --prefix {', '--prefix must be without braces, got {'],
    ['inspect a --yes', '--yes is no option of inspect'],
    ['reset a --rate 5', '--rate is no option of reset'],
    ['set a', 'set takes --rate, --capacity or both'],
    ['set a --rate 0', '--rate must be a number from 1e-9 to 1e9, got 0'],
    ['set a --rate 5/s', '--rate must be a number from 1e-9 to 1e9, got 5/s'],
    ['set a --capacity 2e9', '--capacity must be a number from 1e-9 to 1e9, got 2e9'],
    ['set a --rate 5 --if-version 0', '--if-version must be a whole number ≥ 1, got 0'],
    [
      'inspect a --client pg',
      '--client must be one of iovalkey, ioredis, redis, @valkey/valkey-glide, got pg',
    ],
    ['inspect a --url http://:secret@x', '--url must be redis://HOST:PORT, or with TLS rediss://HOST:PORT'],
    ['inspect a --url 127.0.0.1', '--url must be redis://HOST:PORT'],
    ['inspect a --colour', "Unknown option '--colour'"],
  ])('%j is wrong, and the error says how', (line, message) => {
    expect(() => read(line)).toThrow(UsageError);
    expect(() => read(line)).toThrow(message);
  });

  test('the help has every command with its rights, within 80 columns', () => {
    for (const [command, rights] of Object.entries(RIGHTS)) {
      expect(HELP).toMatch(
        new RegExp(
          `^  ${command}\\b.*\\n[^]*^  ${command} +\\${rights.replaceAll('+', '\\+').slice(1)} ~ebb:`,
          'm',
        ),
      );
    }
    for (const line of HELP.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  });
});
