import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { constant, type Inspect, inspectBody } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import fc from 'fast-check';
import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { until } from '../../../test/until.ts';
import { tokensFor } from '../test/bucket.ts';
import { get } from '../test/relay.ts';
import { HandlerSpy, Wire } from '../test/wire.ts';
import { ebbInterceptor } from './index.ts';

const CODINGS: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  none: (body) => body,
  gzip: gzipSync,
  deflate: deflateSync,
  'raw deflate': deflateRawSync,
  br: (body) => brotliCompressSync(body),
};

function encodingOf(coding: string): Record<string, string> {
  return coding === 'none' ? {} : { 'content-encoding': coding.replace('raw ', '') };
}

/** What inspect reads of a response, by name; `read` gets every text. */
const READS: Readonly<
  Record<string, (response: Parameters<Inspect>[0], read: (text: string) => void) => unknown>
> = {
  nothing: () => undefined,
  'nothing, later': () => nextTurn(),
  text: async (response, read) => read(await response.text()),
  json: (response) => response.json(),
  'the first event': (response) => response.firstEvent(),
  'everything at once': (response) => Promise.all([response.text(), response.json(), response.firstEvent()]),
  'text without waiting for it': (response) => void response.text(),
};

/** A long body. Only its description is printed if a test fails. */
interface Long {
  readonly size: number;
  readonly fill: string;
}

const bodies = fc.oneof(
  fc.string({ maxLength: 200, unit: 'grapheme-ascii' }).map((text) => Buffer.from(text)),
  fc.json().map((text) => Buffer.from(text)),
  fc
    .array(fc.constantFrom('data: a\n', 'event: ping\n', '\n', ': \r\n', '\r'))
    .map((lines) => Buffer.from(lines.join(''))),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.record<Long>({ size: fc.nat(300_000), fill: fc.constantFrom('random', 'abc', 'data: ') }),
);

function bytesOf(body: Buffer | Long): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return body.fill === 'random' ? randomBytes(body.size) : Buffer.alloc(body.size, body.fill);
}

const conducts = fc.record({
  body: bodies,
  coding: fc.constantFrom(...Object.keys(CODINGS)),
  /** Where the body is cut, and how many turns pass after each part. */
  cuts: fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0, 1, 3)), {
    maxLength: 12,
  }),
  breaks: fc.boolean(),
  /** Whether the connection delivers while it is paused. */
  obeys: fc.boolean(),
  /** After how many chunks the handler pauses for a turn. */
  pausesEvery: fc.constantFrom(0, 1, 2, 5),
  reads: fc.constantFrom(...Object.keys(READS)),
  maxBytes: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 400_000 })),
  /** Whether inspect asks for a retry, which the bucket then refuses. */
  refused: fc.boolean(),
});

function partsOf(body: Buffer, cuts: readonly (readonly [number, number])[]) {
  const sorted = cuts.map(([at, turns]) => ({ at: Math.floor(at * body.length), turns }));
  sorted.sort((one, other) => one.at - other.at);
  let from = 0;
  return [...sorted, { at: body.length, turns: 1 }].map(({ at, turns }) => {
    const part = body.subarray(from, at);
    from = at;
    return { part, turns };
  });
}

class Collecting extends HandlerSpy {
  readonly parts: Buffer[] = [];
  readonly pausesEvery: number;

  constructor(pausesEvery: number) {
    super();
    this.pausesEvery = pausesEvery;
  }

  override onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.parts.push(chunk);
    if (this.pausesEvery === 0 || this.parts.length % this.pausesEvery !== 0) return;
    this.controller?.pause();
    setImmediate(() => this.controller?.resume());
  }

  get isOver(): boolean {
    return this.calls.some((call) => call.startsWith('end') || call.startsWith('error'));
  }
}

test('whatever inspect reads, and however the body arrives, the handler gets the same bytes once', async () => {
  await fc.assert(
    fc.asyncProperty(conducts, async (conduct) => {
      const { coding, cuts, breaks, obeys, pausesEvery, reads, maxBytes, refused } = conduct;
      const body = bytesOf(conduct.body);
      const wire = new Wire();
      const spy = new Collecting(pausesEvery);
      const texts: string[] = [];
      let isJudged = false;
      const inspect: Inspect = async (response) => {
        await READS[reads]?.(response, (text) => texts.push(text));
        isJudged = true;
        return refused ? { verdict: 'transient' } : { verdict: 'success' };
      };
      const options = {
        inspect: inspectBody(inspect, { maxBytes }),
        bucket: tokensFor(1),
        backoff: constant(0),
      };
      ebbInterceptor(options)(wire.dispatch)(get, spy);
      const sent = CODINGS[coding]?.(body) as Buffer;
      const error = new Error('broken');
      const { handler, connection } = wire.attempt(1).start().head(200, encodingOf(coding));
      for (const { part, turns } of partsOf(sent, cuts)) {
        if (obeys) await until(() => !connection.paused || connection.aborted);
        if (part.length > 0) handler.onResponseData(connection, part);
        for (let turn = 0; turn < turns; turn += 1) await nextTurn();
      }
      if (obeys) await until(() => !connection.paused || connection.aborted);
      // A response that is discarded for a retry is aborted if it is too long to be read.
      const isTooLong = refused && connection.aborted;
      if (isTooLong) expect(sent.length).toBeGreaterThan(64 * 1024);
      else if (breaks) handler.onResponseError(connection, error);
      else handler.onResponseEnd(connection, { sum: '1' });
      await until(() => isJudged && spy.isOver);
      const got = Buffer.concat(spy.parts);
      const isKept = !refused || sent.length <= 64 * 1024;
      if (isKept) expect(got.equals(sent)).toBe(true);
      else expect(sent.subarray(0, got.length).equals(got)).toBe(true);
      const end = breaks ? 'error broken' : 'end {"sum":"1"}';
      if (isKept) expect(spy.calls).toEqual(['start', 'head 200', end]);
      else expect(spy.calls.at(-1)).toMatch(/^error/);
      const [text] = texts;
      if (text !== undefined && !breaks) {
        // A character that maxBytes cuts is left out.
        expect(body.subarray(0, maxBytes).toString().startsWith(text.slice(0, -1))).toBe(true);
        if (body.length <= maxBytes) expect(text).toBe(new TextDecoder().decode(body));
      }
    }),
    { numRuns: process.env.EBB_LONG === '1' ? 10_000 : 1_000 },
  );
});
