import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** The program of the server, if one is installed. */
export const program: string | undefined = ['valkey-server', 'redis-server'].find(
  (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined,
);

/** A local server without persistence. */
export class Store {
  readonly port: number;
  #process: ChildProcess | undefined;

  private constructor(port: number) {
    this.port = port;
  }

  static async start(): Promise<Store> {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const address = probe.address();
    probe.close();
    const store = new Store(typeof address === 'object' && address !== null ? address.port : 0);
    await store.start();
    return store;
  }

  async start(): Promise<void> {
    const settings = ['--port', `${this.port}`, '--bind', '127.0.0.1', '--save', '', '--dir', tmpdir()];
    const server = spawn(program ?? 'valkey-server', settings, { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#process = server;
    // Both servers log this line.
    for await (const text of server.stdout) if (`${text}`.includes('Ready to accept connections')) break;
    server.stdout.resume();
    await pause(10);
  }

  async kill(): Promise<void> {
    const server = this.#process;
    this.#process = undefined;
    if (server === undefined || server.exitCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  }
}
