// A cluster of three real nodes that moves slots and promotes a replica.
import { setTimeout as pause } from 'node:timers/promises';
import { startServer, type TestServer } from './server.ts';

const SETTINGS = [
  '--cluster-enabled',
  'yes',
  '--cluster-node-timeout',
  '1000',
  '--cluster-replica-validity-factor',
  '0',
];

/** The text of a reply that is a bulk string. */
const textOf = (reply: string): string => reply.split('\r\n').slice(1).join('\n');

export class TestCluster {
  readonly #servers: TestServer[];

  private constructor(servers: TestServer[]) {
    this.#servers = servers;
  }

  static async start(): Promise<TestCluster> {
    const servers = await Promise.all([0, 1, 2].map(() => startServer(...SETTINGS)));
    const slots = ['0 5460', '5461 10922', '10923 16383'];
    for (const [index, server] of servers.entries()) {
      await server.command(`CLUSTER ADDSLOTSRANGE ${slots[index]}`);
      await server.command(`CLUSTER MEET 127.0.0.1 ${servers[0]?.port}`);
    }
    const cluster = new TestCluster(servers);
    await cluster.#settle();
    return cluster;
  }

  get servers(): readonly TestServer[] {
    return this.#servers;
  }

  portOf(index: number): number {
    return (this.#servers[index] as TestServer).port;
  }

  /** How often the nodes have read from a connection. */
  async reads(): Promise<number> {
    const infos = await Promise.all(this.#servers.map((server) => server.command('INFO stats')));
    return infos.reduce((sum, info) => sum + Number(/total_reads_processed:(\d+)/.exec(info)?.[1]), 0);
  }

  async #settle(): Promise<void> {
    const nodes = `cluster_known_nodes:${this.#servers.length}`;
    await Promise.all(this.#servers.map((server) => server.until('CLUSTER INFO', nodes)));
    await Promise.all(this.#servers.map((server) => server.until('CLUSTER INFO', 'cluster_state:ok')));
  }

  /** The others say that the key has moved. */
  async #ownerOf(key: string): Promise<TestServer> {
    for (const server of this.#servers) {
      if (!(await server.command(`EXISTS "${key}"`)).startsWith('-MOVED')) return server;
    }
    throw new Error(`no node has the slot of ${key}`);
  }

  /** Moves the slot of a key to another node, in steps of `stepMs` milliseconds. */
  async moveSlotOf(key: string, stepMs: number): Promise<void> {
    const from = await this.#ownerOf(key);
    const slot = (await from.command(`CLUSTER KEYSLOT "${key}"`)).slice(1);
    const to = this.#servers[(this.#servers.indexOf(from) + 1) % 3] as TestServer;
    const [fromId, toId] = await Promise.all(
      [from, to].map(async (server) => textOf(await server.command('CLUSTER MYID')).trim()),
    );
    await ok(to, `CLUSTER SETSLOT ${slot} IMPORTING ${fromId}`);
    await ok(from, `CLUSTER SETSLOT ${slot} MIGRATING ${toId}`);
    await pause(stepMs);
    // NOKEY if the key is not there.
    await from.command(`MIGRATE 127.0.0.1 ${to.port} "${key}" 0 1000`);
    await pause(stepMs);
    // A script that ran between may have written the key again.
    for (const server of [to, from, ...this.#servers])
      await ok(server, `CLUSTER SETSLOT ${slot} NODE ${toId}`);
    await pause(stepMs);
  }

  /** Starts a replica of the node that has the key. */
  async addReplicaOf(key: string): Promise<TestServer> {
    const owner = await this.#ownerOf(key);
    const replica = await startServer(...SETTINGS);
    this.#servers.push(replica);
    await ok(replica, `CLUSTER MEET 127.0.0.1 ${owner.port}`);
    await this.#settle();
    const id = textOf(await owner.command('CLUSTER MYID')).trim();
    for (let tries = 0; !(await replica.command(`CLUSTER REPLICATE ${id}`)).startsWith('+OK'); tries += 1) {
      if (tries > 200) throw new Error('no replica');
      await pause(20);
    }
    await replica.until('INFO replication', 'master_link_status:up');
    return replica;
  }

  /** Kills the node that the replica follows, and waits until the replica has taken its place. */
  async failOver(replica: TestServer): Promise<void> {
    const port = /master_port:(\d+)/.exec(await replica.command('INFO replication'))?.[1];
    const owner = this.#servers.find((server) => server.port === Number(port)) as TestServer;
    await owner.kill();
    await replica.until('ROLE', 'master');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map((server) => server[Symbol.asyncDispose]()));
  }
}

async function ok(server: TestServer, line: string): Promise<void> {
  const reply = await server.command(line);
  if (!reply.startsWith('+OK')) throw new Error(`${line}: ${reply}`);
}
