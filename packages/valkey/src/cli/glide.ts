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

interface ScanCursor {
  isFinished(): boolean;
}
interface Glide {
  customCommand(args: string[]): Promise<unknown>;
  scan(cursor: ScanCursor, options: object): Promise<[ScanCursor, unknown[]]>;
  close(): void;
}
export interface GlidePackage {
  readonly GlideClient: { createClient(options: object): Promise<Glide> };
  readonly GlideClusterClient: { createClient(options: object): Promise<Glide> };
  readonly ClusterScanCursor: new () => ScanCursor;
  readonly Logger: { setLoggerConfig(level: 'off'): void };
}

export async function openGlide(
  { GlideClient, GlideClusterClient, ClusterScanCursor, Logger }: GlidePackage,
  { url, cluster }: Target,
): Promise<Connection> {
  Logger.setLoggerConfig('off');
  const { username, password } = loginOf(url);
  const options = {
    addresses: [nodeOf(url)],
    ...{ useTLS: isSecure(url), requestTimeout: TIMEOUT_MS },
    ...(password !== undefined && { credentials: { password, ...(username && { username }) } }),
    advancedConfiguration: { connectionTimeout: TIMEOUT_MS },
  };
  const databaseId = Number(url.pathname.slice(1) || 0);
  const client = await (cluster
    ? GlideClusterClient.createClient(options)
    : GlideClient.createClient({ ...options, databaseId }));
  const command: Command = (args) => client.customCommand(args);
  return {
    store: { eval: (script, key, args) => client.customCommand(['EVAL', script, '1', key, ...args]) },
    async scan(match) {
      if (!cluster) return scanAll([command], match);
      const found: string[] = [];
      let cursor: ScanCursor = new ClusterScanCursor();
      while (!cursor.isFinished()) {
        const [next, keys] = await client.scan(cursor, { match, count: 1_000 });
        found.push(...keys.map(String));
        cursor = next;
      }
      return [...new Set(found)].sort();
    },
    close: () => client.close(),
  };
}
