import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { type Answering, BEHAVE, type CallState, isEarly } from './behave.ts';
import { pause } from './policy.ts';
import type { Origin, Seen } from './record.ts';
import { type Head, RequestReader } from './request-reader.ts';
import type { Step } from './step.ts';

const HOSTS: Readonly<Record<Origin, string>> = { a: '127.0.0.1', b: '127.0.0.2' };
const OK: Step = { do: 'ok', size: 20 };

/** Resolves if it listens, and a little later if it cannot. */
function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve) => {
    server.once('error', () => setTimeout(resolve, 20));
    server.listen(port, host, resolve);
  });
}

/** Two servers of raw TCP, at two hosts. They play the scripts of one case at a time, and record what they see. */
export class Servers {
  readonly urls: Readonly<Record<Origin, string>>;
  readonly sockets: Set<Socket> = new Set();
  seen: Seen[] = [];
  /** Requests of a case that has ended, by its seed. */
  readonly strays: { readonly seed: number; readonly path: string }[] = [];
  #seed = 0;
  /** Connections of {@link flush}, by their address. */
  readonly #expected = new Map<string, () => void>();
  /** Those that were accepted during a case. */
  readonly #accepted = new Set<string>();
  #scripts: readonly (readonly Step[])[] = [];
  #states: CallState[] = [];
  #connections = 0;
  #accepting: Promise<void> | undefined;
  readonly #listening: ReadonlyMap<Origin, Server>;
  readonly #ports: Readonly<Record<Origin, number>>;

  private constructor(listening: ReadonlyMap<Origin, Server>) {
    this.#listening = listening;
    const portOf = (at: Origin): number => ((listening.get(at) as Server).address() as AddressInfo).port;
    this.#ports = { a: portOf('a'), b: portOf('b') };
    this.urls = { a: `http://${HOSTS.a}:${this.#ports.a}`, b: `http://${HOSTS.b}:${this.#ports.b}` };
    for (const [at, server] of listening) server.on('connection', (socket) => this.#connected(at, socket));
  }

  static async open(): Promise<Servers> {
    const listening = new Map<Origin, Server>();
    for (const at of ['a', 'b'] as const) {
      const server = createServer({ noDelay: true });
      await once(server.listen(0, HOSTS[at]), 'listening');
      listening.set(at, server);
    }
    return new Servers(listening);
  }

  /** Plays the scripts of another case from now on. */
  play(seed: number, scripts: readonly (readonly Step[])[]): void {
    this.seen = [];
    this.#seed = seed;
    this.#accepted.clear();
    this.#scripts = scripts;
    this.#states = scripts.map(() => ({ fileSize: undefined, events: undefined }));
  }

  /** Refuses connections to the first server until {@link accept}. */
  async refuse(): Promise<void> {
    const server = this.#listening.get('a') as Server;
    const closed = new Promise((resolve) => server.close(resolve));
    // It closes once its last connection has.
    this.reset();
    await closed;
  }

  /** Another process may have got the port meanwhile, for a connection of its own. */
  async accept(): Promise<void> {
    const server = this.#listening.get('a') as Server;
    while (!server.listening) {
      this.#accepting ??= listen(server, this.#ports.a, HOSTS.a).finally(() => {
        this.#accepting = undefined;
      });
      await this.#accepting;
    }
  }

  /**
   * Waits until all connections are accepted that were made before: a busy process accepts them later than their clients give them up,
   * and what they bring would be taken for something that was sent later. Connections are accepted in the order in which they were made.
   */
  async flush(): Promise<void> {
    const used = new Set(this.seen.map(({ at }) => at)).add('a');
    await Promise.all(
      [...used].map((at) => {
        const own = connect(this.#ports[at], HOSTS[at]);
        const accepted = new Promise<void>((resolve) => {
          own.once('connect', () => {
            const address = `${own.localAddress}:${own.localPort}`;
            if (this.#accepted.has(address)) resolve();
            else this.#expected.set(address, resolve);
          });
          own.once('error', () => resolve());
        });
        // One that is reset at once has no address by which it would be known.
        return Promise.race([accepted, pause(1_000)]).finally(() => own.destroy());
      }),
    );
  }

  /** Resets what is still connected. */
  reset(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  close(): void {
    this.reset();
    for (const server of this.#listening.values()) server.close();
  }

  #connected(at: Origin, socket: Socket): void {
    const address = `${socket.remoteAddress}:${socket.remotePort}`;
    setImmediate(() => {
      this.#accepted.add(address);
      this.#expected.get(address)?.();
      this.#expected.delete(address);
    });
    this.#connections += 1;
    const connection = this.#connections;
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket)).on('error', () => undefined);
    let answered = Promise.resolve();
    let current: Seen | undefined;
    const answer = (seen: Seen): void => {
      answered = answered.then(() => this.#answer(seen, socket));
    };
    const reader = new RequestReader({
      head: (head) => {
        if (this.#isStray(head)) {
          socket.destroy();
          return;
        }
        current = this.#note(at, connection, head);
        if (isEarly(current.step)) answer(current);
      },
      body: (part) => current?.body.push(part),
      end() {
        if (current === undefined) return;
        current.isWhole = true;
        if (!isEarly(current.step)) answer(current);
        current = undefined;
      },
      wrong: () => socket.destroy(),
    });
    socket.on('data', (part) => reader.feed(part as Buffer));
  }

  #isStray({ path }: Head): boolean {
    const seed = Number(/^\/k(\d+)\//.exec(path)?.[1] ?? -1);
    if (seed !== this.#seed) this.strays.push({ seed, path });
    return seed !== this.#seed;
  }

  #note(at: Origin, connection: number, { method, path, headers }: Head): Seen {
    const [, number] = /\/c(\d+)/.exec(path) ?? [];
    const call = number === undefined ? -1 : Number(number);
    const hop = Number(/[?&]hop=(\d+)/.exec(path)?.[1] ?? 0);
    const index = this.seen.filter((one) => one.call === call).length;
    const step = this.#scripts[call]?.[index] ?? OK;
    const atMs = performance.now();
    const seen: Seen = {
      at,
      connection,
      call,
      hop,
      index,
      method,
      headers,
      body: [],
      isWhole: false,
      atMs,
      step,
    };
    this.seen.push(seen);
    return seen;
  }

  async #answer(seen: Seen, socket: Socket): Promise<void> {
    const line: Answering = {
      seen,
      seed: this.#seed,
      step: seen.step,
      state: this.#states[seen.call] ?? { fileSize: undefined, events: undefined },
      urls: this.urls,
      get isOpen() {
        return !socket.destroyed && socket.writable;
      },
      write: (bytes) => void (socket.writable && socket.write(bytes)),
      pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      end: () => void socket.end(),
      reset: () => void socket.resetAndDestroy(),
    };
    if (line.isOpen) await BEHAVE[seen.step.do](line);
  }
}
