import type { Target } from './arguments.ts';
import { type Command, type Connection, isSecure, loginOf, scanAll, TIMEOUT_MS } from './connection.ts';

// The package is an optional peer, so its types may be missing. It brings at least this.

interface NodeRedis {
  on(event: 'error', listener: (error: unknown) => void): NodeRedis;
  connect(): Promise<unknown>;
  sendCommand(args: string[]): Promise<unknown>;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  readonly masters: readonly object[];
  nodeClient(node: object): Promise<NodeRedis>;
  destroy(): void;
}
export interface NodeRedisPackage {
  createClient(options: object): NodeRedis;
  createCluster(options: object): NodeRedis;
}
export async function openNodeRedis(
  { createClient, createCluster }: NodeRedisPackage,
  { url, cluster }: Target,
): Promise<Connection> {
  const socket = { connectTimeout: TIMEOUT_MS, reconnectStrategy: false };
  const client = cluster
    ? createCluster({
        rootNodes: [{ url: url.href }],
        defaults: { ...loginOf(url), socket: { ...socket, ...(isSecure(url) && { tls: true }) } },
      })
    : createClient({ url: url.href, socket });
  // Without a listener an error would end this program.
  client.on('error', () => undefined);
  await client.connect();
  return {
    store: { eval: (script, key, args) => client.eval(script, { keys: [key], arguments: [...args] }) },
    async scan(pattern) {
      const nodes = cluster
        ? await Promise.all(client.masters.map((node) => client.nodeClient(node)))
        : [client];
      return scanAll(
        nodes.map(
          (node): Command =>
            (args) =>
              node.sendCommand(args),
        ),
        pattern,
      );
    },
    close: () => client.destroy(),
  };
}
