import { Redis } from 'iovalkey';
import { afterAll, beforeAll } from 'vitest';
import { program, startServer, storeUrl, type TestServer } from './server.ts';

/** A server and a client of it, from the first to the last test of a file or a `describe`. */
export interface TestStore {
  /** `undefined` if the tests use the server at `VALKEY_URL`. */
  readonly server: TestServer | undefined;
  readonly url: string;
  readonly client: Redis;
  /** A key that no other test uses. */
  newKey(): string;
}

let keys = 0;

/** Call it where `beforeAll` may be called. Tests without a server must be skipped: see `hasServer`. */
export function useStore(): TestStore {
  let server: TestServer | undefined;
  let client: Redis | undefined;
  const url = (): string => server?.url ?? storeUrl ?? '';
  beforeAll(async () => {
    if (program !== undefined) server = await startServer();
    client = new Redis(url(), { lazyConnect: true });
  });
  afterAll(async () => {
    client?.disconnect();
    await server?.[Symbol.asyncDispose]();
  });
  return {
    get server() {
      return server;
    },
    get url() {
      return url();
    },
    get client() {
      return client as Redis;
    },
    newKey() {
      keys += 1;
      return `ebb-test:{${process.pid}-${keys}}`;
    },
  };
}
