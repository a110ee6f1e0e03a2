import type { StoreClient } from '../store-client.ts';

/** How long a connection, or a reply, may take. */
export const TIMEOUT_MS: number = 5_000;

/** The store cannot be reached, or says no. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/** A connection to the store. */
export interface Connection {
  readonly store: Pick<StoreClient, 'eval'>;
  /** The keys that match a pattern, on all nodes. */
  scan(pattern: string): Promise<string[]>;
  close(): unknown;
}

type ScanReply = readonly [cursor: unknown, keys: readonly unknown[]];
export type Command = (args: string[]) => Promise<unknown>;

/** Every reply comes in time, or not at all. */
export async function withTimeout<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StoreError(`${what} within ${TIMEOUT_MS / 1_000} s`)), TIMEOUT_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

export async function scanAll(nodes: readonly Command[], pattern: string): Promise<string[]> {
  const keys = await Promise.all(
    nodes.map(async (command) => {
      const found: string[] = [];
      let cursor = '0';
      do {
        const [next, some] = (await command([
          'SCAN',
          cursor,
          'MATCH',
          pattern,
          'COUNT',
          '1000',
        ])) as ScanReply;
        found.push(...some.map(String));
        cursor = String(next);
      } while (cursor !== '0');
      return found;
    }),
  );
  // SCAN may return a key twice.
  return [...new Set(keys.flat())].sort();
}

/** User and password of a URL, as they are. */
export function loginOf({ username, password }: URL): {
  readonly username?: string;
  readonly password?: string;
} {
  return {
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  };
}

export const nodeOf = ({ hostname, port }: URL): { readonly host: string; readonly port: number } => ({
  host: hostname.replace(/^\[(.*)\]$/, '$1'),
  port: Number(port || 6379),
});

export const isSecure = ({ protocol }: URL): boolean => protocol === 'rediss:';
