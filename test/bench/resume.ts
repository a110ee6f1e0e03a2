// What resumption costs, over TCP on loopback: the time to the first event, and the memory of a download whose connection is cut
// every 10 MB.
// Run: pnpm bench resume
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROGRAMS } from '../size/programs.ts';
import { sizeOf } from '../size/size.ts';
import { machine } from './measure/machine.ts';
import { markdown, number } from './measure/markdown.ts';
import { median } from './measure/quantiles.ts';
import { subjects } from './resumed/subjects.ts';

const MB = 1024 * 1024;
const CUT_AFTER = 10 * MB;
const part = Buffer.alloc(64 * 1024, 'x');

let cuts = 0;

/** Writes the rest of a download of `whole` bytes, and ends the connection if they are not all. */
async function download(socket: Socket, whole: number, from: number, cutAfter: number): Promise<void> {
  const left = whole - from;
  const headers = [`content-length: ${left}`, 'etag: "a"'];
  if (from > 0) headers.push(`content-range: bytes ${from}-${whole - 1}/${whole}`);
  socket.write(`HTTP/1.1 ${from > 0 ? 206 : 200} OK\r\n${headers.join('\r\n')}\r\n\r\n`);
  const sends = Math.min(left, cutAfter);
  for (let sent = 0; sent < sends; sent += part.length) {
    if (!socket.write(part)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  }
  if (sends === left) return;
  cuts += 1;
  socket.end();
}

const EVENT = 'id: 1\ndata: {"choices":[{"delta":{"content":"hi"}}]}\n\n';

const server = createServer((socket) => {
  socket.setMaxListeners(0).on('error', () => undefined);
  socket.on('data', (request) => {
    const text = request.toString('latin1');
    if (text.startsWith('GET /events')) {
      const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
      socket.write(`${head}${EVENT.length.toString(16)}\r\n${EVENT}\r\n0\r\n\r\n`);
    } else {
      const [, kind, megabytes] = /^GET \/(\w+)\/(\d+)/.exec(text) ?? [];
      const from = Number(/range: bytes=(\d+)/i.exec(text)?.[1] ?? 0);
      const cutAfter = kind === 'cut' ? CUT_AFTER : Number.POSITIVE_INFINITY;
      void download(socket, Number(megabytes) * MB, from, cutAfter);
    }
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const ROUNDS = 1_000;

/** In milliseconds. The rest of the stream is read outside of it. */
async function timeToFirst(name: string): Promise<number> {
  const [open] = subjects[name] as (typeof subjects)[string];
  const startMs = performance.now();
  const parts = (await open(`${url}/events`))[Symbol.asyncIterator]();
  await parts.next();
  const tookMs = performance.now() - startMs;
  while (!(await parts.next().catch(() => ({ done: true }))).done);
  return tookMs;
}

const names = Object.keys(subjects);
const times = new Map(names.map((name) => [name, [] as number[]]));
// In turn, so that a machine that becomes slower does so for all.
for (let round = -200; round < ROUNDS; round += 1) {
  for (const name of names) {
    const tookMs = await timeToFirst(name);
    if (round >= 0) times.get(name)?.push(tookMs);
  }
}
const medianOf = (name: string): number => median(times.get(name) ?? []);
console.log(
  `**Time to the first event**, over TCP on loopback. Medians of ${number(ROUNDS)} requests, in ms.\n`,
);
console.log(
  markdown(
    ['', 'median', 'more than without'],
    names.map((name) => {
      const base = medianOf(subjects[name]?.[1] ?? name);
      return [name, number(medianOf(name), 3), number(medianOf(name) - base, 3)];
    }),
  ),
);

interface Read {
  readonly bytes: number;
  readonly more: number;
  readonly tookMs: number;
  readonly error?: string;
}

/** A read in a process of its own. Its memory is that of the client alone. */
async function read(name: string, path: string): Promise<Read> {
  const file = join(import.meta.dirname, 'resumed/read.ts');
  const urls = [`${url}/whole/200`, `${url}/${path}`];
  const { stdout } = await promisify(execFile)(process.execPath, [...process.execArgv, file, name, ...urls]);
  return JSON.parse(stdout) as Read;
}

async function reads(name: string, path: string): Promise<readonly string[]> {
  const all: Read[] = [];
  cuts = 0;
  for (let round = 0; round < 3; round += 1) all.push(await read(name, path));
  const [{ bytes, error }] = all as [Read];
  return [
    path.startsWith('cut') ? name : `${name}, not cut`,
    `${number(bytes / MB)} MB${error ? `, ${error}` : ''}`,
    number(cuts / all.length),
    (median(all.map(({ more }) => more)) / MB).toFixed(1),
    number(Math.round(median(all.map(({ tookMs }) => tookMs)))),
  ];
}

const rows: (readonly string[])[] = [await reads('createFetch', 'cut/200')];
for (const megabytes of [200, 1_000]) {
  rows.push(await reads('createFetch', `whole/${megabytes}`));
  rows.push(await reads('createFetch, resuming', `cut/${megabytes}`));
  rows.push(await reads('ebbInterceptor', `whole/${megabytes}`));
  rows.push(await reads('ebbInterceptor, resuming', `cut/${megabytes}`));
}
console.log(
  '\n**A download whose connection is cut every 10 MB.** Memory is the largest resident set while it is read, above that before: ' +
    'after a first read of 200 MB in the same process. Medians of 3 processes.\n',
);
console.log(markdown(['', 'got', 'cuts', 'memory, + MB', 'ms'], rows));

const BESIDE: readonly (readonly [name: string, alone: string, door: string])[] = [
  ['`resumable` of @ebb/fetch', '@ebb/fetch', '@ebb/resume/fetch'],
  ['`resumable` of @ebb/undici', '@ebb/undici', '@ebb/resume/undici'],
];
const sizes = BESIDE.map(async ([name, client, door]) => {
  const alone = PROGRAMS[client] ?? '';
  const cells = (['web', 'node'] as const).map(async (platform) => {
    const both = await sizeOf(`${alone} export { resumable } from '${door}';`, platform);
    return number(both.brotli - (await sizeOf(alone, platform)).brotli);
  });
  return [name, ...(await Promise.all(cells))];
});
console.log('\n**Bytes** beside the client, minified and compressed by brotli.\n');
console.log(markdown(['', 'web', 'Node'], await Promise.all(sizes)));
console.log(`\n${machine()}`);
process.exit();
