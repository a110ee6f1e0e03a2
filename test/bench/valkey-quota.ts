// Eight processes ask a server that counts requests, input and output, as language models do: what they use of its quota, and
// how often it refuses. It charges output when it has been written. The same with the unit alone that binds. And how long a lease of
// several units takes in the store.
// Run: pnpm bench valkey-quota
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { ProcessFleet } from '../../packages/valkey/test/fleet.ts';
import { program, startServer } from '../../packages/valkey/test/server.ts';
import { machine } from './measure/machine.ts';
import { printTable } from './measure/markdown.ts';
import type { CallerReport, CallerTask } from './valkey/model-caller.ts';
import { scriptTimes } from './valkey/script-time.ts';

if (program === undefined) process.exit(1);

const PROCESSES = 8;
const CALLERS = 50;
const SECONDS = 30;
const MOST_OUTPUT = 4_096;

/** The account, in tokens per second; each unit holds what comes in within 4 s. */
const RATES = { requests: 200, input: 100_000, output: 60_000 };
type Unit = keyof typeof RATES;
const UNITS = Object.keys(RATES) as Unit[];
const HELD_SECONDS = 4;

/** The fleet has the rate of the account. It holds less, because a network bunches requests. */
const limitsOf = (units: readonly Unit[]) =>
  Object.fromEntries(
    units.map((unit) => [unit, { refillPerSecond: RATES[unit], capacity: (RATES[unit] * HELD_SECONDS) / 2 }]),
  );

/** The server's own count of a unit. */
class Count {
  used = 0;
  level: number;
  #atMs = performance.now();
  readonly #rate: number;

  constructor(rate: number) {
    this.#rate = rate;
    this.level = rate * HELD_SECONDS;
  }

  left(): number {
    const nowMs = performance.now();
    const cameIn = ((nowMs - this.#atMs) * this.#rate) / 1_000;
    this.level = Math.min(this.#rate * HELD_SECONDS, this.level + cameIn);
    this.#atMs = nowMs;
    return this.level;
  }

  take(tokens: number): void {
    this.level = this.left() - tokens;
    this.used += tokens;
  }
}

/** The length of an answer: lognormal, with a median of 120 tokens. */
function answerLength(): number {
  const normal = Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
  return Math.min(MOST_OUTPUT, Math.ceil(120 * Math.exp(0.8 * normal)));
}

let counts: ReadonlyMap<Unit, Count> = new Map();
const count = (unit: Unit): Count => counts.get(unit) as Count;
let [refused, sent] = [0, 0];

const upstream = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly input: number };
  sent += 1;
  const isRefused =
    count('requests').left() < 1 || count('input').left() < input || count('output').left() <= 0;
  if (isRefused) {
    refused += 1;
    response.writeHead(429, { 'retry-after': '1' }).end('{}');
    return;
  }
  count('requests').take(1);
  count('input').take(input);
  const output = answerLength();
  // 1,000 tokens a second are written.
  await pause(output);
  count('output').take(output);
  response.end(JSON.stringify({ input, output }));
});
upstream.keepAliveTimeout = 60_000;
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
await using server = await startServer();

const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;

/** What a fleet does whose bucket has these units. */
async function measured(asked: readonly Unit[]): Promise<readonly string[]> {
  counts = new Map(UNITS.map((unit) => [unit, new Count(RATES[unit])]));
  [refused, sent] = [0, 0];
  const task: CallerTask = {
    storeUrl: server.url,
    upstreamUrl: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
    key: asked.join(' '),
    limits: limitsOf(asked),
    callers: CALLERS,
    mostOutput: MOST_OUTPUT,
  };
  using fleet = await ProcessFleet.start(
    Array(PROCESSES).fill(task),
    '../../../test/bench/valkey/model-caller.ts',
  );
  fleet.go();
  // The burst at the start, and what is learned in it, are over.
  await pause(5_000);
  const before = new Map(UNITS.map((unit) => [unit, count(unit).used]));
  const [sentBefore, refusedBefore] = [sent, refused];
  const startMs = performance.now();
  await pause(SECONDS * 1_000);
  const seconds = (performance.now() - startMs) / 1_000;
  const used = UNITS.map((unit) => (count(unit).used - (before.get(unit) ?? 0)) / (RATES[unit] * seconds));
  const [sends, refusals] = [sent - sentBefore, refused - refusedBefore];
  const reports = (await fleet.stop()) as unknown as CallerReport[];
  const answers = reports.reduce((sum, report) => sum + report.answers, 0);
  return [
    ...used.map(percent),
    sends.toLocaleString('en'),
    `${percent(refusals / sends)} (${refusedBefore} in the first 5 s)`,
    ((reports.reduce((sum, { calls }) => sum + calls, 0) / answers) * 1_000).toFixed(0),
    String(reports.reduce((sum, { failed }) => sum + failed, 0)),
  ];
}

const three = await measured(UNITS);
const one = await measured(['requests']);
upstream.closeAllConnections();
upstream.close();
const stories = [
  ...UNITS.map((unit) => `used of ${unit}`),
  'requests sent',
  'refused with 429',
  'calls to the store per 1,000 answers',
  'requests that failed',
];
printTable(
  `${PROCESSES} processes with ${CALLERS} callers each, learned costs, ${SECONDS} s after the first 5 s`,
  ['', 'three units', 'requests alone'],
  stories.map((story, at) => [story, three[at] ?? '', one[at] ?? '']),
);
const UNIT_COUNTS = [1, 2, 3];
const times = await scriptTimes(server.url, UNIT_COUNTS);
printTable(
  'one lease in the server',
  ['units', 'µs'],
  UNIT_COUNTS.map((units, at) => [String(units), (times[at] ?? 0).toFixed(1)]),
);
console.log(machine());
process.exit();
