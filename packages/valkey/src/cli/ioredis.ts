import type { Target } from './arguments.ts';
import {
  type Command,
  type Connection,
  isSecure,
  loginOf,
  nodeOf,
  scanAll,
  TIMEOUT_MS,
} from './connection.ts';

// The package is an optional peer, so its types may be missing. It brings at least this.

interface Ioredis {
  on(event: 'error', listener: (error: unknown) => void): unknown;
  connect(): Promise<unknown>;
  call(name: string, args: string[]): Promise<unknown>;
  eval(script: string, keys: number, ...rest: string[]): Promise<unknown>;
  nodes(role: 'master'): Ioredis[];
  disconnect(): void;
}
export interface IoredisPackage {
  readonly Redis: new (url: string, options: object) => Ioredis;
  readonly Cluster: new (nodes: object[], options: object) => Ioredis;
}
export async function openIoredis(
  { Redis, Cluster }: IoredisPackage,
  { url, cluster }: Target,
): Promise<Connection> {
  const once = { lazyConnect: true, enableReadyCheck: false };
  const one = { connectTimeout: TIMEOUT_MS, retryStrategy: () => null, maxRetriesPerRequest: 0 };
  const login = { ...loginOf(url), ...(isSecure(url) && { tls: {} }), ...one };
  const client = cluster
    ? new Cluster([nodeOf(url)], { ...once, redisOptions: login, clusterRetryStrategy: () => null })
    : new Redis(url.href, { ...once, ...one });
  let last: unknown;
  client.on('error', (error) => {
    last = error;
  });
  try {
    await client.connect();
  } catch (error) {
    client.disconnect();
    throw last ?? error;
  }
  const nodes = cluster ? client.nodes('master') : [client];
  return {
    store: { eval: (script, key, args) => client.eval(script, 1, key, ...args) },
    scan: (pattern) =>
      scanAll(
        nodes.map(
          (node): Command =>
            ([name = '', ...args]) =>
              node.call(name, args),
        ),
        pattern,
      ),
    close: () => client.disconnect(),
  };
}
