// A network between the clients and the store that breaks in all ways that a network breaks.
import { connect, createServer, type Socket } from 'node:net';
import { listen, type Wire } from '../../../packages/valkey/test/wire.ts';

/**
 * `holds`: nothing arrives until it passes again, then all of it. `holds replies`: requests do arrive. `forgets`: the connections
 * that there are carry nothing more, and do not end. `refuses`: they are reset, and so are new ones.
 */
export type Condition = 'passes' | 'holds' | 'holds replies' | 'forgets' | 'refuses';

export class Network implements AsyncDisposable {
  /** One way. */
  delayMs = 0;
  /** Where it leads. */
  to: number;
  #condition: Condition = 'passes';
  #wire: Wire | undefined;
  /** The two ends of each connection; true if it is the store's. */
  readonly #ends = new Map<Socket, boolean>();
  readonly #dead = new Set<Socket>();

  private constructor(to: number) {
    this.to = to;
  }

  static async to(port: number): Promise<Network> {
    const network = new Network(port);
    network.#wire = await listen(createServer((client) => network.#join(client)));
    return network;
  }

  get port(): number {
    return this.#wire?.port ?? 0;
  }

  get condition(): Condition {
    return this.#condition;
  }

  set condition(condition: Condition) {
    this.#condition = condition;
    for (const [end, isStore] of this.#ends) {
      if (this.#holds(isStore)) end.pause();
      else end.resume();
      if (condition === 'forgets') this.#dead.add(end);
    }
    if (condition === 'refuses') this.cut();
  }

  /** Resets all connections. */
  cut(): void {
    for (const end of this.#ends.keys()) end.resetAndDestroy();
  }

  #holds(isStore: boolean): boolean {
    return this.#condition === 'holds' || (isStore && this.#condition === 'holds replies');
  }

  #join(client: Socket): void {
    client.on('error', () => {});
    if (this.#condition === 'refuses') {
      client.resetAndDestroy();
      return;
    }
    const store = connect(this.to, '127.0.0.1').on('error', () => {});
    this.#forward(client, store, false);
    this.#forward(store, client, true);
  }

  #forward(from: Socket, to: Socket, isStore: boolean): void {
    this.#ends.set(from, isStore);
    if (this.#holds(isStore)) from.pause();
    from.setNoDelay(true);
    let lastMs = 0;
    from.on('data', (bytes) => {
      if (this.#dead.has(from)) return;
      // What was sent first arrives first, also when the delay shrinks.
      lastMs = Math.max(lastMs, performance.now() + this.delayMs);
      const leftMs = lastMs - performance.now();
      if (leftMs <= 0) to.write(bytes);
      else setTimeout(() => to.write(bytes), leftMs);
    });
    from.on('close', () => {
      this.#ends.delete(from);
      if (!this.#dead.has(from)) to.destroy();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#wire?.[Symbol.asyncDispose]();
    for (const end of this.#ends.keys()) end.destroy();
  }
}
