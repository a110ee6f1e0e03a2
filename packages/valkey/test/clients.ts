// Connections to real servers through every client.
import { GlideClient, GlideClusterClient, Logger } from '@valkey/valkey-glide';
import { Redis as IORedis, Cluster as IORedisCluster, type RedisOptions } from 'ioredis';
import { Cluster, Redis } from 'iovalkey';
import { createClient, createCluster } from 'redis';
import type { StoreClient, ValkeyClient } from '../src/index.ts';

// GLIDE logs every NOSCRIPT, and these tests cause many.
Logger.setLoggerConfig('off');

export interface Opened extends Disposable {
  readonly client: ValkeyClient;
}

interface Address {
  readonly port: number;
  readonly tls?: boolean;
  readonly username?: string;
  readonly password?: string;
}

type Open = (address: Address) => Promise<Opened>;

const host = '127.0.0.1';
const ignored = (): void => {};

const opened = (client: ValkeyClient, close: () => unknown): Opened => {
  return { client, [Symbol.dispose]: () => void close() };
};

const options = ({ tls, ...address }: Address) => ({ host, ...address, ...(tls && { tls: {} }) });

function iovalkey(address: Address, more: RedisOptions = {}): Redis {
  return new Redis({ ...options(address), ...(more as object) });
}

function ioredis(address: Address): IORedis {
  return new IORedis(options(address));
}

const redis = async ({ port, tls, ...login }: Address, more: object = {}): Promise<Opened> => {
  const socket = tls ? ({ host, port, tls: true } as const) : { host, port };
  const client = createClient({ ...login, socket, ...more }).on('error', ignored);
  client.connect().catch(ignored);
  return opened(client as ValkeyClient, () => client.destroy());
};

const glideOf = ({ port, username, password }: Address) => ({
  addresses: [{ host, port }],
  ...(password !== undefined && { credentials: { password, ...(username && { username }) } }),
});

/** Clients whose connection is not awaited. */
export const clients: Readonly<Record<string, Open>> = {
  iovalkey: async (address) => {
    const client = iovalkey(address).on('error', ignored);
    return opened(client, () => client.disconnect());
  },
  ioredis: async (address) => {
    const client = ioredis(address).on('error', ignored);
    return opened(client, () => client.disconnect());
  },
  redis,
  '@valkey/valkey-glide': async (address) => {
    const { tls: useTLS = false } = address;
    const client = await GlideClient.createClient({ ...glideOf(address), useTLS, lazyConnect: true });
    return opened(client, () => client.close());
  },
};

/** The same with other options. */
export const variants: Readonly<Record<string, Open>> = {
  'iovalkey without a queue': async (address) => {
    const client = iovalkey(address, { enableOfflineQueue: false }).on('error', ignored);
    return opened(client, () => client.disconnect());
  },
  'redis without a queue': (address) => redis(address, { disableOfflineQueue: true }),
  'redis, RESP 3': (address) => redis(address, { RESP: 3 }),
  'iovalkey without a listener': async (address) => {
    const client = iovalkey(address);
    return opened(client, () => client.disconnect());
  },
  'ioredis without a listener': async (address) => {
    const client = ioredis(address);
    return opened(client, () => client.disconnect());
  },
  'a client of two functions': async (address) => {
    const client = iovalkey(address).on('error', ignored);
    const port: StoreClient = {
      evalsha: (sha1, key, args) => client.evalsha(sha1, 1, key, ...args),
      eval: (script, key, args) => client.eval(script, 1, key, ...args),
    };
    return opened(port, () => client.disconnect());
  },
};

/** Clients of a cluster, by the port of one of its nodes. */
export const clusterClients: Readonly<Record<string, Open>> = {
  iovalkey: async ({ port, ...login }) => {
    const client = new Cluster([{ host, port }], { redisOptions: login as object }).on('error', ignored);
    return opened(client, () => client.disconnect());
  },
  ioredis: async ({ port, ...login }) => {
    const client = new IORedisCluster([{ host, port }], { redisOptions: login as object });
    client.on('error', ignored);
    return opened(client, () => client.disconnect());
  },
  redis: async ({ port, ...login }) => {
    const rootNodes = [{ url: `redis://${host}:${port}` }];
    const client = createCluster({ rootNodes, defaults: login as object }).on('error', ignored);
    await client.connect();
    return opened(client as ValkeyClient, () => client.destroy());
  },
  '@valkey/valkey-glide': async (address) => {
    const client = await GlideClusterClient.createClient(glideOf(address));
    return opened(client, () => client.close());
  },
};
