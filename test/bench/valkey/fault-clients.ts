// The four clients, as the page on operating sets them up.

import type { ValkeyClient } from '@ebb/valkey';
import { GlideClient, GlideClusterClient, Logger } from '@valkey/valkey-glide';
import { Redis as IORedis, Cluster as IORedisCluster } from 'ioredis';
import { Cluster, Redis } from 'iovalkey';
import { createClient, createCluster, createSentinel } from 'redis';

Logger.setLoggerConfig('off');

export interface Opened {
  readonly client: ValkeyClient;
  close(): unknown;
}

export type Open = (port: number) => Promise<Opened>;

const quiet = (): void => {};
const host = '127.0.0.1';
const GROUP = 'group';
const socketTimeout = 5_000;

/** Each on one server. */
export const SINGLE: Readonly<Record<string, Open>> = {
  iovalkey: async (port) => {
    const client = new Redis({ host, port, socketTimeout }).on('error', quiet);
    return { client, close: () => client.disconnect() };
  },
  ioredis: async (port) => {
    const client = new IORedis({ host, port, socketTimeout }).on('error', quiet);
    return { client, close: () => client.disconnect() };
  },
  redis: async (port) => {
    const client = createClient({ socket: { host, port, socketTimeout } }).on('error', quiet);
    await client.connect();
    return { client, close: () => client.destroy() };
  },
  glide: async (port) => {
    const client = await GlideClient.createClient({ addresses: [{ host, port }] });
    return { client, close: () => client.close() };
  },
};

/** Each on a cluster, of which it knows one node. */
export const CLUSTER: Readonly<Record<string, Open>> = {
  iovalkey: async (port) => {
    const client = new Cluster([{ host, port }]).on('error', quiet);
    return { client, close: () => client.disconnect() };
  },
  ioredis: async (port) => {
    const client = new IORedisCluster([{ host, port }]).on('error', quiet);
    return { client, close: () => client.disconnect() };
  },
  redis: async (port) => {
    const client = createCluster({ rootNodes: [{ url: `redis://${host}:${port}` }] }).on('error', quiet);
    await client.connect();
    return { client, close: () => client.destroy() };
  },
  glide: async (port) => {
    const client = await GlideClusterClient.createClient({ addresses: [{ host, port }] });
    return { client, close: () => client.close() };
  },
};

/** Each that knows Sentinel, with the port of one sentinel. GLIDE does not. */
export const SENTINEL: Readonly<Record<string, Open>> = {
  iovalkey: async (port) => {
    const client = new Redis({ sentinels: [{ host, port }], name: GROUP }).on('error', quiet);
    return { client, close: () => client.disconnect() };
  },
  ioredis: async (port) => {
    const client = new IORedis({ sentinels: [{ host, port }], name: GROUP }).on('error', quiet);
    return { client, close: () => client.disconnect() };
  },
  redis: async (port) => {
    const client = createSentinel({ name: GROUP, sentinelRootNodes: [{ host, port }] }).on('error', quiet);
    await client.connect();
    return { client, close: () => client.destroy() };
  },
};
