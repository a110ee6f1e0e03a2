// What resumption costs, over TCP on loopback: the time to the first event, and a download of 200 MB whose connection is cut
// every 10 MB.
// Run: pnpm bench resume
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { constant, createPolicy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { resuming } from '@ebb/fetch/resuming';
import { sizeOf } from '../size/size.ts';
import { markdown, number } from './measure/markdown.ts';

const MB = 1024 * 1024;
const WHOLE = 200 * MB;
const CUT_AFTER = 10 * MB;
const part = Buffer.alloc(64 * 1024, 'x');

let cuts = 0;

/** Writes `length` bytes of a download, and ends the connection if they are not all. */
async function download(socket: Socket, from: number, cutAfter: number): Promise<void> {
  const left = WHOLE - from;
  const headers = [`content-length: ${left}`, 'etag: "a"'];
  if (from > 0) headers.push(`content-range: bytes ${from}-${WHOLE - 1}/${WHOLE}`);
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
      const from = Number(/range: bytes=(\d+)/i.exec(text)?.[1] ?? 0);
      void download(socket, from, text.startsWith('GET /whole') ? WHOLE : CUT_AFTER);
    }
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

type Fetch = (url: string) => Promise<Response>;

const policy = createPolicy({ backoff: constant(0) });
const plain = createFetch(policy) as Fetch;
const resumed = resuming(createFetch(policy), { policy }) as Fetch;
const judged = resuming(createFetch(policy), { policy, isLast: ({ data }) => data.startsWith('{') }) as Fetch;

/** In milliseconds. The rest of the stream is read outside of it. */
async function timeToFirst(fetch: Fetch): Promise<number> {
  const startMs = performance.now();
  const reader = ((await fetch(`${url}/events`)).body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  const tookMs = performance.now() - startMs;
  while (!(await reader.read().catch(() => ({ done: true }))).done);
  return tookMs;
}

const ROUNDS = 1_000;
const median = (times: number[]): number => times.sort((one, other) => one - other)[times.length >> 1] ?? 0;
const rows: (readonly [name: string, fetch: Fetch, times: number[]])[] = [
  ['createFetch', plain, []],
  ['resuming', resumed, []],
  ['resuming with isLast', judged, []],
];
// In turn, so that a machine that becomes slower does so for all.
for (let round = -200; round < ROUNDS; round += 1) {
  for (const [, fetch, times] of rows) {
    const tookMs = await timeToFirst(fetch);
    if (round >= 0) times.push(tookMs);
  }
}
const base = median(rows[0]?.[2] ?? []);
console.log('**Time to the first event**, over TCP on loopback. Medians, in ms.\n');
console.log(
  markdown(
    ['', 'median', 'more than createFetch'],
    rows.map(([name, , times]) => [name, median(times).toFixed(3), (median(times) - base).toFixed(3)]),
  ),
);

/** Reads 200 MB; returns the bytes, or the error, and the largest memory above that before. */
async function read(fetch: Fetch, path = 'cut'): Promise<readonly string[]> {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const startMs = performance.now();
  cuts = 0;
  let [bytes, most, error] = [0, before, ''];
  try {
    for await (const chunk of (await fetch(`${url}/${path}`)).body as ReadableStream<Uint8Array>) {
      bytes += chunk.byteLength;
      most = Math.max(most, process.memoryUsage.rss());
    }
  } catch (broken) {
    error = `, ${String(broken)}`;
  }
  const tookMs = performance.now() - startMs;
  return [
    `${bytes / MB} MB${error}`,
    number(cuts),
    ((most - before) / MB).toFixed(1),
    number(Math.round(tookMs)),
  ];
}

// The first read of a process makes its heap larger.
await read(resumed);
await read(plain, 'whole');
console.log('\n**A download of 200 MB whose connection is cut every 10 MB.**\n');
console.log(
  markdown(
    ['', 'got', 'cuts', 'memory, + MB', 'ms'],
    [
      ['createFetch', ...(await read(plain))],
      ['createFetch, not cut', ...(await read(plain, 'whole'))],
      ['resuming', ...(await read(resumed))],
    ],
  ),
);

const FETCH = `export { createFetch } from '@ebb/fetch';`;
const BOTH = `export { createFetch } from '@ebb/fetch'; export { resuming } from '@ebb/fetch/resuming';`;
const sizes = await Promise.all(
  (['web', 'node'] as const).map(async (platform) => {
    const [alone, both] = await Promise.all([sizeOf(FETCH, platform), sizeOf(BOTH, platform)]);
    return [platform, number(alone.brotli), number(both.brotli - alone.brotli)];
  }),
);
console.log('\n**Bytes**, minified and compressed by brotli.\n');
console.log(markdown(['', 'createFetch', 'resuming beside it'], sizes));
process.exit();
