import * as zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { Connection } from '../test/wire.ts';
import type { Attempt } from './attempt.ts';
import { BufferedResponse } from './buffered-response.ts';
import { peekAt } from './peek.ts';

/** Needed by {@link peekAt} to watch alone. */
const NO_ATTEMPT = {} as Attempt;

/** From Node 22.15 on. */
const hasZstd = typeof zlib.zstdCompressSync === 'function';
const TEXT = 'data: {"a":1}\n\n'.repeat(10_000);

function hold(
  headers: Record<string, string>,
  status = 200,
): { held: BufferedResponse; connection: Connection } {
  const connection = new Connection({});
  const head = { status, headers, message: undefined, rawHeaders: null };
  return { held: new BufferedResponse(head, connection), connection };
}

async function readAll(held: BufferedResponse): Promise<string> {
  const peek = peekAt(NO_ATTEMPT, held);
  const parts: Uint8Array[] = [];
  for (let part = await peek.read(); part !== undefined; part = await peek.read()) parts.push(part);
  return Buffer.concat(parts).toString();
}

interface Row {
  readonly coding: string;
  readonly encode: (body: Buffer) => Buffer;
}

const decoded: readonly Row[] = [
  { coding: 'gzip', encode: zlib.gzipSync },
  { coding: 'X-GZIP', encode: zlib.gzipSync },
  { coding: 'deflate', encode: zlib.deflateSync },
  { coding: 'deflate', encode: zlib.deflateRawSync },
  { coding: 'br', encode: (body) => zlib.brotliCompressSync(body) },
  ...(hasZstd ? [{ coding: 'zstd', encode: (body: Buffer) => zlib.zstdCompressSync(body) }] : []),
  { coding: 'identity', encode: (body) => body },
  { coding: ' gzip ', encode: zlib.gzipSync },
];

describe('a look at an encoded body', () => {
  test.each(decoded)('$coding: is decoded, and the handler gets the bytes as they came', async (row) => {
    const { held } = hold({ 'content-encoding': row.coding });
    const sent = row.encode(Buffer.from(TEXT));
    for (let at = 0; at < sent.length; at += 100) held.take(sent.subarray(at, at + 100));
    held.end(undefined);
    expect(await readAll(held)).toBe(TEXT);
    expect(Buffer.concat(held.chunks).equals(sent)).toBe(true);
  });

  test.each<[string, Record<string, string>, number]>([
    ['of a coding that is not known', { 'content-encoding': 'compress' }, 200],
    ['of two codings', { 'content-encoding': 'deflate, gzip' }, 200],
    ['that is a part', { 'content-encoding': 'gzip' }, 206],
  ])('%s: is read as it came', async (_, headers, status) => {
    const { held } = hold(headers, status);
    held.take(Buffer.from('text'));
    held.end(undefined);
    expect(await readAll(held)).toBe('text');
  });

  const encoders: [string, () => zlib.Gzip | zlib.BrotliCompress | zlib.ZstdCompress][] = [
    ['gzip', () => zlib.createGzip()],
    ['deflate', () => zlib.createDeflate()],
    ['br', () => zlib.createBrotliCompress()],
    ['zstd', () => zlib.createZstdCompress()],
  ];
  const codings = encoders.filter(([coding]) => coding !== 'zstd' || hasZstd);

  test.each(codings)('%s: what the server has flushed is seen at once', async (coding, makeEncoder) => {
    const { held } = hold({ 'content-encoding': coding });
    const encoder = makeEncoder();
    encoder.on('data', (part: Buffer) => held.take(part));
    const peek = peekAt(NO_ATTEMPT, held);
    for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
      const read = peek.read();
      encoder.write(event);
      encoder.flush();
      expect(Buffer.from((await read) as Uint8Array).toString()).toBe(event);
    }
    peek.stop();
    encoder.destroy();
  });

  test.each(['none', 'gzip'])(
    '%s: a body that breaks breaks the look, after what has come',
    async (coding) => {
      const { held } = hold(coding === 'none' ? {} : { 'content-encoding': coding });
      const sent = coding === 'none' ? Buffer.from('text') : zlib.gzipSync('text');
      const error = new Error('broken');
      const peek = peekAt(NO_ATTEMPT, held);
      const read = peek.read();
      held.take(sent);
      expect(Buffer.from((await read) as Uint8Array).toString()).toBe('text');
      const next = peek.read();
      held.end(error);
      await expect(next).rejects.toBe(error);
    },
  );

  test.each(['none', 'gzip'])('%s: reads no further once it has stopped', async (coding) => {
    const { held, connection } = hold(coding === 'none' ? {} : { 'content-encoding': coding });
    const peek = peekAt(NO_ATTEMPT, held);
    const read = peek.read().then(
      () => 'settled',
      () => 'settled',
    );
    peek.stop();
    expect(await read).toBe('settled');
    held.take(Buffer.alloc(70_000));
    expect(connection.calls).toEqual(['pause']);
  });

  test('a little that decodes to a lot is decoded only as it is read', async () => {
    const { held } = hold({ 'content-encoding': 'gzip' });
    held.take(zlib.gzipSync(Buffer.alloc(50_000_000)));
    held.end(undefined);
    const peek = peekAt(NO_ATTEMPT, held);
    const before = process.memoryUsage().external + process.memoryUsage().arrayBuffers;
    const part = await peek.read();
    const after = process.memoryUsage().external + process.memoryUsage().arrayBuffers;
    expect(part?.byteLength).toBeLessThan(100_000);
    expect(after - before).toBeLessThan(10_000_000);
    peek.stop();
  });
});
