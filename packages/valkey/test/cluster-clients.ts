import { GlideClusterClient, Logger } from '@valkey/valkey-glide';
import { Cluster as IORedisCluster } from 'ioredis';
import { Cluster } from 'iovalkey';
import { createCluster } from 'redis';
import type { ValkeyClient } from '../src/index.ts';

// GLIDE logs every NOSCRIPT, and these tests cause many.
Logger.setLoggerConfig('off');

export interface Connection {
  readonly client: ValkeyClient;
  close(): unknown;
}

export interface Login {
  readonly username: string;
  readonly password: string;
}

type Connect = (port: number, login?: Login) => Promise<Connection>;

const host = '127.0.0.1';
const ignored = (): void => {};

/** Clients of a cluster, by the port of one of its nodes. */
export const clusterClients: readonly (readonly [name: string, connect: Connect])[] = [
  [
    'iovalkey',
    async (port, login) => {
      const client = new Cluster([{ host, port }], { redisOptions: { ...login } }).on('error', ignored);
      return { client, close: () => client.disconnect() };
    },
  ],
  [
    'ioredis',
    async (port, login) => {
      const client = new IORedisCluster([{ host, port }], { redisOptions: { ...login } });
      client.on('error', ignored);
      return { client, close: () => client.disconnect() };
    },
  ],
  [
    'redis',
    async (port, login) => {
      const rootNodes = [{ url: `redis://${host}:${port}` }];
      const client = createCluster({ rootNodes, defaults: { ...login } }).on('error', ignored);
      await client.connect();
      return { client, close: () => client.destroy() };
    },
  ],
  [
    '@valkey/valkey-glide',
    async (port, login) => {
      const addresses = [{ host, port }];
      const client = await GlideClusterClient.createClient({
        addresses,
        ...(login && { credentials: login }),
      });
      return { client, close: () => client.close() };
    },
  ],
];
