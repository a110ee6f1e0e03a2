// A primary, its replica and three sentinels that watch over them.
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer, type TestServer } from '../../../packages/valkey/test/server.ts';

export class Sentinels implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'ebb-sentinel-'));
  readonly #servers: TestServer[] = [];
  #primary: TestServer | undefined;

  static async start(): Promise<Sentinels> {
    const group = new Sentinels();
    const primary = await startServer('--repl-diskless-sync-delay', '0');
    group.#primary = primary;
    const replica = await startServer('--replicaof', '127.0.0.1', `${primary.port}`);
    group.#servers.push(primary, replica);
    await replica.until('INFO replication', 'master_link_status:up');
    for (const name of ['one', 'two', 'three']) {
      const file = join(group.#folder, `${name}.conf`);
      writeFileSync(file, `sentinel monitor group 127.0.0.1 ${primary.port} 2\n`);
      appendFileSync(
        file,
        'sentinel down-after-milliseconds group 1000\nsentinel failover-timeout group 5000\n',
      );
      group.#servers.push(await startServer(file, '--sentinel'));
    }
    const sentinel = group.#servers[2] as TestServer;
    await sentinel.until('SENTINEL MASTER group', 'num-other-sentinels\r\n$1\r\n2');
    await sentinel.until('SENTINEL MASTER group', 'num-slaves\r\n$1\r\n1');
    return group;
  }

  /** Of one sentinel. */
  get port(): number {
    return (this.#servers[2] as TestServer).port;
  }

  /** Kills the primary, and waits until the replica has its place. */
  async failOver(): Promise<void> {
    const [, replica] = this.#servers as [TestServer, TestServer];
    await this.#primary?.kill();
    await replica.until('ROLE', 'master');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) await server[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
