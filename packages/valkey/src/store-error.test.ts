import type { EventEmitter } from 'node:events';
import { createServer as createTcpServer } from 'node:net';
import { createServer } from 'node:tls';
import { inspect } from 'node:util';
import { Cluster, Redis } from 'iovalkey';
import { createClient } from 'redis';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { selfSigned } from '../../../test/runtimes/certificate.ts';
import { clients, type Opened, variants } from '../test/clients.ts';
import { program, startServer, type TestServer } from '../test/server.ts';
import { listen, otherProtocol, type Wire } from '../test/wire.ts';
import {
  type StoreEvent,
  type ValkeyBucketOptions,
  type ValkeyClient,
  valkeyBucket,
  valkeyBudget,
} from './index.ts';
import { isPermanent } from './store-error.ts';

const all = Object.entries({ ...clients, ...variants }).filter(([name]) => !/queue|RESP|two/.test(name));
/** GLIDE tells nothing of its connection. */
const throughNode = all.filter(([name]) => !name.includes('glide'));

const printed = vi.spyOn(console, 'error');
beforeEach(() => {
  printed.mockReset().mockReturnValue();
});
afterAll(() => printed.mockRestore());

/** The message of a first request's error. Checks that `onStoreEvent` gets the same error. */
async function messageBy(opened: Opened, options: Partial<ValkeyBucketOptions> = {}): Promise<string> {
  const events: StoreEvent[] = [];
  await using bucket = valkeyBucket({
    ...{ client: opened.client, key: 'message', refillPerSecond: 1, onStoreError: 'closed' },
    onStoreEvent: (event) => events.push(event),
    ...options,
  });
  const error = await bucket.acquire().catch((error: unknown) => error);
  expect(error).toMatchObject({ name: 'NotSentError', reason: 'unavailable' });
  expect(events).toMatchObject([{ type: 'lost' }]);
  const [lost] = events as [StoreEvent & { type: 'lost' }];
  const { message, cause } = error as Error;
  expect(cause).toBe(lost.error);
  expect(message).toContain((lost.error as Error).message.trim());
  // Neither contains the password, at any depth.
  expect(inspect([error, events], { depth: 20 })).not.toContain('not the password');
  return message;
}

const GLIDE = 'An error was signalled by the server: - ResponseError:';
test.each<[message: string, permanent: boolean]>([
  ['ERR max number of clients reached', false],
  [`${GLIDE} ERR max number of clients reached`, false],
  ['LOADING Redis is loading the dataset in memory', false],
  ['connect ECONNREFUSED 127.0.0.1:6379', false],
  ["ERR unknown command 'EVALSHA'", true],
  ['NOAUTH Authentication required.', true],
  ["OOM command not allowed when used memory > 'maxmemory'.", true],
  ["READONLY You can't write against a read only replica.", true],
  ['Connection is closed.', true],
  [`${GLIDE} ACL failure in script: User x may not run 'time'`, true],
  [`${GLIDE} The user executing the script can't run this`, true],
])('%s: permanent is %s', (message, permanent) => {
  expect(isPermanent(new Error(message))).toBe(permanent);
});

describe.runIf(program !== undefined)('a server with a password', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
    await server.command('ACL SETUSER limited on >secret +get ~*');
    await server.command('ACL SETUSER default >password');
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each(all)('says what is wrong with a login, through %s', async (_, open) => {
    const logins: [login: object, message: RegExp][] = [
      [{}, /NOAUTH/],
      [{ password: 'not the password' }, /WRONGPASS/],
      [{ username: 'limited', password: 'secret' }, /NOPERM|PermissionDenied/],
    ];
    for (const [login, message] of logins) {
      using opened = await open({ port: server.port, ...login });
      expect(await messageBy(opened)).toMatch(message);
    }
  });
});

describe('a connection', () => {
  let secure: Wire;
  let plain: Wire;
  let silent: Wire;
  let closed: Wire;
  beforeAll(async () => {
    secure = await listen(createServer(selfSigned(), (socket) => socket.on('error', () => {})));
    plain = await otherProtocol();
    // A server without TLS takes the handshake for the beginning of a command, and waits for its end.
    silent = await listen(createTcpServer((socket) => socket.on('error', () => {}).resume()));
    closed = await otherProtocol();
    await closed[Symbol.asyncDispose]();
  });
  afterAll(() => Promise.all([secure, plain, silent].map((wire) => wire[Symbol.asyncDispose]())));

  // A broken connection is not permanent, so the bucket waits.
  const waits = { connectTimeoutMs: 300 };
  const table: [string, () => Wire, tls: boolean, options: object, message: RegExp][] = [
    ['with TLS to a server that is not trusted', () => secure, true, {}, /self-signed certificate/],
    ['with TLS to a server without', () => plain, true, {}, /wrong version number|packet length too long/],
    [
      'without TLS to a server with',
      () => secure,
      false,
      waits,
      /ECONNRESET|closed unexpectedly|no connection yet/,
    ],
    ['that is refused', () => closed, false, waits, /within \d+ ms: connect ECONNREFUSED/],
    ['that is never established', () => silent, true, waits, /within \d+ ms: the client has no connection/],
  ];
  describe.each(throughNode)('of %s', (_, open) => {
    test.each(table)('%s', async (__, wire, tls, options, message) => {
      using opened = await open({ port: wire().port, tls });
      expect(await messageBy(opened, options)).toMatch(message);
    });
  });
});

describe('watching a client', () => {
  const bucketOf = (client: ValkeyClient) => valkeyBucket({ client, key: 'k', refillPerSecond: 1 });

  test('does not change what happens to errors without a listener', async () => {
    const iovalkey = new Redis({ lazyConnect: true });
    const redis = createClient();
    const buckets = [bucketOf(iovalkey), bucketOf(redis)];
    iovalkey.silentEmit('error', new Error('as it says'));
    expect(printed).toHaveBeenCalledWith(
      '[ioredis] Unhandled error event:',
      expect.stringContaining('as it says'),
    );
    expect(() => redis.emit('error', new Error('as it throws'))).toThrow('as it throws');
    await Promise.all(buckets.map((bucket) => bucket.close()));
  });

  test.each([
    ['iovalkey', () => new Redis({ lazyConnect: true })],
    ['a cluster of iovalkey', () => new Cluster([7_000], { lazyConnect: true })],
    ['redis', () => createClient()],
  ])(
    'adds one listener for any number of buckets and budgets, and removes it when they are closed (%s)',
    async (_, make) => {
      const client: EventEmitter & ValkeyClient = make();
      const before = client.eventNames().map((name) => [name, client.listenerCount(name)]);
      const buckets = Array.from({ length: 20 }, () => bucketOf(client));
      for (const name of client.eventNames()) {
        const had = before.find(([other]) => other === name)?.[1] ?? 0;
        expect(client.listenerCount(name)).toBeLessThanOrEqual((had as number) + 1);
      }
      expect(client.eventNames().length).toBeGreaterThan(before.length);
      // Closing twice counts once.
      await buckets[0]?.close();
      await buckets[0]?.close();
      expect(client.eventNames().length).toBeGreaterThan(before.length);
      const budget = valkeyBudget({ client, key: 'k' });
      await Promise.all(buckets.map((bucket) => bucket.close()));
      expect(client.eventNames().length).toBeGreaterThan(before.length);
      await budget.close();
      expect(client.eventNames().map((name) => [name, client.listenerCount(name)])).toEqual(before);
      const again = bucketOf(client);
      expect(client.eventNames().length).toBeGreaterThan(before.length);
      await again.close();
    },
  );
});
