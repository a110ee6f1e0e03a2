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

/** Of iovalkey and ioredis. */
function disconnecting(client: Redis | Cluster | IORedis | IORedisCluster): Opened {
  (client as Redis).on('error', quiet);
  return { client, close: () => client.disconnect() };
}

/** Of node-redis. */
async function connected<Client extends ValkeyClient>(
  client: Client & { connect(): unknown; destroy(): unknown; on(event: 'error', heard: () => void): unknown },
): Promise<Opened> {
  client.on('error', quiet);
  await client.connect();
  return { client, close: () => client.destroy() };
}

function closing(client: GlideClient | GlideClusterClient): Opened {
  return { client, close: () => client.close() };
}

/** Each on one server. */
export const SINGLE: Readonly<Record<string, Open>> = {
  iovalkey: async (port) => disconnecting(new Redis({ host, port, socketTimeout })),
  ioredis: async (port) => disconnecting(new IORedis({ host, port, socketTimeout })),
  redis: async (port) => connected(createClient({ socket: { host, port, socketTimeout } })),
  glide: async (port) => closing(await GlideClient.createClient({ addresses: [{ host, port }] })),
};

/** Each on a cluster, of which it knows one node. */
export const CLUSTER: Readonly<Record<string, Open>> = {
  iovalkey: async (port) => disconnecting(new Cluster([{ host, port }])),
  ioredis: async (port) => disconnecting(new IORedisCluster([{ host, port }])),
  redis: async (port) => connected(createCluster({ rootNodes: [{ url: `redis://${host}:${port}` }] })),
  glide: async (port) => closing(await GlideClusterClient.createClient({ addresses: [{ host, port }] })),
};

/** Each that knows Sentinel, with the port of one sentinel. GLIDE does not. */
export const SENTINEL: Readonly<Record<string, Open>> = {
  iovalkey: async (port) => disconnecting(new Redis({ sentinels: [{ host, port }], name: GROUP })),
  ioredis: async (port) => disconnecting(new IORedis({ sentinels: [{ host, port }], name: GROUP })),
  redis: async (port) => connected(createSentinel({ name: GROUP, sentinelRootNodes: [{ host, port }] })),
};
