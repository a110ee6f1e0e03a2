// What goes wrong with a store, on real servers.
import { setTimeout as pause } from 'node:timers/promises';
import { startServer, type TestServer } from '../../../packages/valkey/test/server.ts';
import type { Network } from './network.ts';

/** One server behind a network. */
interface Place {
  readonly server: TestServer;
  readonly network: Network;
  /** The key of the bucket in the store. */
  readonly key: string;
}

export interface Fault {
  /** Of the server. */
  readonly settings?: readonly string[];
  /** Returns when all is well again, but for what the clients have to find out. */
  readonly happens: (place: Place) => Promise<unknown>;
}

const DATA = ['--appendonly', 'yes', '--appendfsync', 'always'];

/** A network that is in a condition for a while. */
const network =
  (condition: Network['condition'], forMs: number): Fault['happens'] =>
  async ({ network }) => {
    network.condition = condition;
    await pause(forMs);
    network.condition = 'passes';
  };

const repeated =
  (times: number, everyMs: number, line: (time: number, key: string) => string): Fault['happens'] =>
  async ({ server, key }) => {
    for (let time = 0; time < times; time += 1) {
      await server.command(line(time, key));
      await pause(everyMs);
    }
  };

const once = (line: string): Fault['happens'] => repeated(1, 0, (_, key) => line.replace('KEY', key));

/** Commands at the beginning and the end of the fault. */
const between =
  (first: string, last: string, forMs = 1_000): Fault['happens'] =>
  async ({ server, key }) => {
    await server.command(first.replace('KEY', key));
    await pause(forMs);
    await server.command(last.replace('KEY', key));
  };

export const FAULTS: Readonly<Record<string, Fault>> = {
  'killed, back after 1 s without data': {
    happens: async ({ server }) => {
      await server.kill();
      await pause(1_000);
      await server.start();
    },
  },
  'killed, back after 1 s with its data': {
    settings: DATA,
    happens: async ({ server }) => {
      await server.kill();
      await pause(1_000);
      await server.start();
    },
  },
  'shut down for 5 s': {
    settings: DATA,
    happens: async ({ server }) => {
      // There is no reply.
      void server.command('SHUTDOWN').catch(() => {});
      await pause(5_000);
      await server.kill();
      await server.start();
    },
  },
  ...Object.fromEntries(
    [0.4, 1.2, 5].map((seconds) => [
      `stopped (SIGSTOP) for ${seconds} s`,
      {
        happens: async ({ server }: Place) => {
          server.freeze();
          await pause(seconds * 1_000);
          server.thaw();
        },
      },
    ]),
  ),
  'busy with a script for 1 s': {
    settings: ['--busy-reply-threshold', '100'],
    happens: async ({ server }) => {
      const loop = "local t=redis.call('TIME')[1] while redis.call('TIME')[1]-t<2 do end";
      void server.command(`EVAL "${loop}" 0`).catch(() => {});
      await pause(1_000);
    },
  },
  'clients paused for 1 s': {
    happens: async (place) => {
      await once('CLIENT PAUSE 1000 ALL')(place);
      await pause(1_000);
    },
  },
  FLUSHALL: { happens: once('FLUSHALL') },
  'FLUSHALL every 15 ms for 2 s': { happens: repeated(130, 15, () => 'FLUSHALL') },
  'keys evicted at random for 2 s': {
    settings: ['--maxmemory', '3mb', '--maxmemory-policy', 'allkeys-random'],
    happens: repeated(200, 10, (time) => {
      const filler = Array.from({ length: 60 }, (_, at) => `filler:${time}:${at} ${'x'.repeat(500)}`);
      return `MSET ${filler.join(' ')}`;
    }),
  },
  'out of memory for 1 s': {
    settings: ['--maxmemory-policy', 'noeviction'],
    happens: between('CONFIG SET maxmemory 1', 'CONFIG SET maxmemory 0'),
  },
  'another value under the key for 1 s': {
    happens: async (place) => {
      await once('DEL KEY')(place);
      await between('LPUSH KEY entry', 'DEL KEY')(place);
    },
  },
  'scripts flushed every 20 ms for 1 s': { happens: repeated(50, 20, () => 'SCRIPT FLUSH') },
  'rights revoked for 1 s': {
    happens: between('ACL SETUSER default -evalsha -eval', 'ACL SETUSER default +evalsha +eval'),
  },
  'connections killed every 100 ms for 1 s': { happens: repeated(10, 100, () => 'CLIENT KILL TYPE normal') },
  'read-only (demoted) for 1 s, then promoted': {
    happens: async ({ server }) => {
      await using other = await startServer();
      await server.command(`REPLICAOF 127.0.0.1 ${other.port}`);
      await server.until('INFO replication', 'master_link_status:up');
      await pause(1_000);
      await server.command('REPLICAOF NO ONE');
    },
  },
  'a replica promoted behind the same address': {
    happens: async ({ server, network }) => {
      const replica = await startServer('--replicaof', '127.0.0.1', `${server.port}`);
      replicas.push(replica);
      await replica.until('INFO replication', 'master_link_status:up');
      await pause(300);
      await server.kill();
      await pause(700);
      await replica.command('REPLICAOF NO ONE');
      network.to = replica.port;
      network.cut();
    },
  },
  'partitioned for 3 s: nothing arrives': { happens: network('holds', 3_000) },
  'partitioned for 3 s: replies come late': { happens: network('holds replies', 3_000) },
  'refuses connections for 3 s': { happens: network('refuses', 3_000) },
  'half-open: a firewall forgets the connections': { happens: network('forgets', 1_000) },
  'far: 400 ms each way for 3 s': {
    happens: async ({ network }) => {
      network.delayMs = 400;
      await pause(3_000);
      network.delayMs = 0;
    },
  },
};

/** Servers that live as long as the fleet that a fault gave them to. */
export const replicas: TestServer[] = [];
