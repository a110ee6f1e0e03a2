// A fleet of four members, each with another client, while a real store fails in all ways: the worst burst, what is used meanwhile, and
// when each client is back.
// Run: pnpm bench valkey-faults [part of a fault's name]; EBB_STORE=redis-server for that server alone
import { spawnSync } from 'node:child_process';
import { TestCluster } from '../../packages/valkey/test/cluster.ts';
import { program, programs, startServer } from '../../packages/valkey/test/server.ts';
import { machine } from './measure/machine.ts';
import { printTable } from './measure/markdown.ts';
import { CLUSTER, SENTINEL, SINGLE } from './valkey/fault-clients.ts';
import { FAULTS, type Fault, replicas } from './valkey/faults.ts';
import { CAPACITY, endure, RATE, type Story } from './valkey/mixed-fleet.ts';
import { Network } from './valkey/network.ts';
import { Sentinels } from './valkey/sentinels.ts';

if (program === undefined) process.exit(1);
if (process.env.EBB_STORE === undefined) {
  for (const EBB_STORE of programs) {
    const args = [...process.execArgv, ...process.argv.slice(1)];
    const { status } = spawnSync(process.execPath, args, {
      stdio: 'inherit',
      env: { ...process.env, EBB_STORE },
    });
    if (status !== 0) process.exit(1);
  }
  process.exit();
}

const KEY = 'fleet';
const STORE_KEY = `ebb:{${KEY}}`;

async function onOneServer({ settings = [], happens }: Fault): Promise<Story> {
  await using server = await startServer(...settings);
  await using network = await Network.to(server.port);
  const story = await endure(SINGLE, network.port, KEY, () => happens({ server, network, key: STORE_KEY }));
  for (const replica of replicas.splice(0)) await replica[Symbol.asyncDispose]();
  return story;
}

async function onCluster(happens: (cluster: TestCluster) => Promise<unknown>): Promise<Story> {
  await using cluster = await TestCluster.start();
  return await endure(CLUSTER, cluster.portOf(0), KEY, () => happens(cluster));
}

const stories: Readonly<Record<string, () => Promise<Story>>> = {
  ...Object.fromEntries(Object.entries(FAULTS).map(([name, fault]) => [name, () => onOneServer(fault)])),
  'cluster: the slot moves four times in 2 s': () =>
    onCluster(async (cluster) => {
      for (let move = 0; move < 4; move += 1) await cluster.moveSlotOf(STORE_KEY, 150);
    }),
  'cluster: the node is killed, its replica promoted': () =>
    onCluster(async (cluster) => cluster.failOver(await cluster.addReplicaOf(STORE_KEY))),
  'Sentinel: the primary is killed, its replica promoted': async () => {
    await using group = await Sentinels.start();
    return await endure(SENTINEL, group.port, KEY, () => group.failOver());
  },
};

const NAMES = Object.keys(SINGLE);
const seconds = (ms: number | undefined): string => {
  if (ms === undefined) return '–';
  return Number.isNaN(ms) ? 'not' : (ms / 1_000).toFixed(1);
};

const [asked = ''] = process.argv.slice(3);
const rows: string[][] = [];
for (const [name, run] of Object.entries(stories)) {
  if (!name.includes(asked)) continue;
  const { window, used, longestMs, refused, hung, backMs } = await run();
  rows.push([
    name,
    window.toFixed(2),
    `${(used * 100).toFixed(0)} %`,
    (longestMs / 1_000).toFixed(1),
    `${refused}, ${hung}`,
    ...NAMES.map((client) => seconds(backMs.get(client))),
  ]);
  console.error(rows.at(-1)?.join(' · '));
}
printTable(
  `${program}; ${RATE}/s, capacity ${CAPACITY}, four members with 5 callers each`,
  [
    'fault',
    'worst window, capacities',
    'used',
    'longest wait, s',
    'refused, hung',
    ...NAMES.map((name) => `${name} back, s`),
  ],
  rows,
);
console.log(machine());
process.exit();
