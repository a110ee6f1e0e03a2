// Starts real servers for the tests: valkey-server or redis-server from the PATH, each on a free port.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

function isThere(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}

/** The programs that are there. */
export const programs: readonly string[] = ['valkey-server', 'redis-server'].filter(isThere);

/** The program that the tests start: that of `EBB_STORE`, or the first; `undefined` if it is not there. */
export const program: string | undefined = programs.find(
  (name) => name === (process.env.EBB_STORE ?? programs[0]),
);

/** A running server. Without a program, tests that neither stop nor configure the server use it. */
export const storeUrl: string | undefined = process.env.VALKEY_URL || undefined;

export const hasServer: boolean = program !== undefined || storeUrl !== undefined;

if (program === undefined) {
  const rest = storeUrl === undefined ? 'All tests that need a server are' : 'Tests that stop a server are';
  console.warn(
    `@ebb/valkey: there is no ${process.env.EBB_STORE ?? 'valkey-server and no redis-server'} on the PATH. ${rest} skipped.\n` +
      "To run them, install one (Debian: apt-get install redis-server) or set VALKEY_URL to a server's address.",
  );
}

async function freePort(): Promise<number> {
  for (;;) {
    // A cluster node takes the port that is 10,000 above as well.
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer().listen(port, '127.0.0.1');
    const [free] = await Promise.race([once(server, 'listening').then(() => [true]), once(server, 'error')]);
    if (free !== true) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Sends one line to the server without a client, and returns the raw reply. */
function send(port: number, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${line}\r\n`));
    socket.setTimeout(1_000, () => socket.destroy(new Error('no reply')));
    socket.once('data', (data) => {
      resolve(data.toString().trim());
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

export class TestServer {
  readonly port: number;
  readonly url: string;
  readonly #folder: string;
  readonly #settings: readonly string[];
  #child: ChildProcess | undefined;

  constructor(port: number, settings: readonly string[]) {
    this.port = port;
    this.url = `redis://127.0.0.1:${port}`;
    this.#settings = settings;
    this.#folder = mkdtempSync(join(tmpdir(), 'ebb-valkey-'));
  }

  async start(): Promise<void> {
    const basic = ['--port', `${this.port}`, '--bind', '127.0.0.1', '--dir', this.#folder];
    // A sentinel keeps what it knows in a file, which comes first, and has no data.
    const rest = this.#settings.includes('--sentinel') ? [] : ['--save', ''];
    const all = [...this.#settings, ...basic, ...rest];
    this.#child = spawn(program ?? 'redis-server', all, { stdio: 'ignore' });
    for (let tries = 0; tries < 500; tries += 1) {
      if ((await send(this.port, 'PING').catch(() => '')).startsWith('+PONG')) return;
      if (this.#child.exitCode !== null) break;
      await pause(10);
    }
    throw new Error(`${program} did not start on port ${this.port}`);
  }

  /** Kills it. `start` starts it again, with the data that it has written to disk, if any. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Keeps its connections open and does not reply until {@link thaw}. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  command(line: string): Promise<string> {
    return send(this.port, line);
  }

  /** Repeats a command until its reply contains `part`. */
  async until(line: string, part: string): Promise<void> {
    for (let tries = 0; tries < 1_000; tries += 1) {
      if ((await this.command(line)).includes(part)) return;
      await pause(10);
    }
    throw new Error(`${line} does not return ${part}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Starts a server. `settings` are command-line arguments. */
export async function startServer(...settings: string[]): Promise<TestServer> {
  for (let tries = 0; ; tries += 1) {
    const server = new TestServer(await freePort(), settings);
    try {
      await server.start();
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      if (tries >= 3) throw error;
    }
  }
}
