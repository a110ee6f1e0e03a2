import { PassThrough, Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { type InspectedResponse, inspectBody } from '@ebb/core';
import type { AxiosAdapter } from 'axios';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/runs.ts';
import { responseTo } from '../../test/adapters.ts';
import { clientOf } from '../../test/client.ts';
import { bytesIn } from '../../test/read.ts';

/** When a part of a body comes: with the one before, or some turns of the event loop later. */
interface Part {
  readonly bytes: Uint8Array;
  readonly turns: number;
}

async function* sent(parts: readonly Part[]): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (const { bytes, turns } of parts) {
    for (let turn = 0; turn < turns; turn += 1) await setImmediate();
    yield Uint8Array.from(bytes);
  }
}

/** Ways in which a body streams. */
const makes: Readonly<Record<string, (parts: readonly Part[], highWaterMark: number) => unknown>> = {
  'a Node stream that is pulled': (parts, highWaterMark) =>
    Readable.from(sent(parts), { objectMode: false, highWaterMark }),
  'a Node stream of objects': (parts) => Readable.from(sent(parts)),
  'a Node stream that is pushed': (parts, highWaterMark) => {
    const stream = new PassThrough({ highWaterMark });
    void pipeline(sent(parts), stream);
    return stream;
  },
  'a Node stream that ignores its high water mark': (parts, highWaterMark) => {
    const stream = new Readable({ highWaterMark, read: () => undefined });
    void (async () => {
      for await (const bytes of sent(parts)) stream.push(bytes);
      stream.push(null);
    })();
    return stream;
  },
  'a web stream': (parts) => {
    const source = sent(parts);
    return new ReadableStream({
      async pull(controller) {
        const { done, value } = await source.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    });
  },
  'a web byte stream': (parts) => {
    const source = sent(parts);
    return new ReadableStream({
      type: 'bytes',
      async pull(controller) {
        let part = await source.next();
        while (!part.done && part.value.length === 0) part = await source.next();
        if (part.done) controller.close();
        else controller.enqueue(part.value);
        if (part.done) controller.byobRequest?.respond(0);
      },
    });
  },
};

/** Ways in which a caller reads. */
const reads: Readonly<Record<string, (data: unknown) => Promise<Buffer>>> = {
  iterator: (data) => bytesIn(data as AsyncIterable<unknown>),
  events: (data) => {
    if (data instanceof ReadableStream) return bytesIn(data);
    const parts: Uint8Array[] = [];
    return new Promise((resolve, reject) => {
      const stream = data as Readable;
      stream.on('data', (part) => parts.push(part));
      stream.on('end', () => resolve(Buffer.concat(parts)));
      stream.on('error', reject);
    });
  },
  pipe: async (data) => {
    const parts: Uint8Array[] = [];
    const sink = new Writable({
      write(part, _, done) {
        parts.push(part);
        // Slower than the stream.
        void setImmediate().then(() => done());
      },
    });
    await pipeline(data as Readable, sink);
    return Buffer.concat(parts);
  },
};

/** What an inspection asks for. */
const asks: Readonly<Record<string, (response: InspectedResponse) => unknown>> = {
  nothing: () => undefined,
  text: (response) => response.text(),
  json: (response) => response.json(),
  event: (response) => response.firstEvent(),
  both: (response) => Promise.all([response.firstEvent(), response.text()]),
  'text that is not waited for': (response) => void response.text(),
};

const part = fc.record({
  bytes: fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.constantFrom(...['\n\n', 'data: x\n', '\r\n', 'ä'].map((text) => new TextEncoder().encode(text))),
    fc.nat({ max: 9_000 }).map((length) => new Uint8Array(length).fill(length)),
  ),
  turns: fc.nat({ max: 2 }),
});

test('with any body in any parts, the caller gets the same bytes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { maxLength: 12 }),
      fc.constantFrom(...Object.keys(makes)),
      fc.constantFrom(...Object.keys(asks)),
      fc.constantFrom(...Object.keys(reads)),
      fc.constantFrom(1, 16, 4_096, 65_536),
      fc.constantFrom(1, 10, 1_000, 65_536),
      fc.nat({ max: 2 }),
      async (parts, made, asked, read, highWaterMark, maxBytes, turns) => {
        const data = makes[made]?.(parts, highWaterMark);
        const adapter: AxiosAdapter = async (config) => responseTo(config, { data });
        const inspect = async (response: InspectedResponse) => {
          await asks[asked]?.(response);
          return undefined;
        };
        const client = clientOf(
          { adapter, transformResponse: [] },
          { inspect: inspectBody(inspect, { maxBytes }) },
        );
        const response = await client.get('/');
        for (let turn = 0; turn < turns; turn += 1) await setImmediate();
        const bytes = await reads[read]?.(response.data);
        expect(bytes).toEqual(Buffer.concat(parts.map(({ bytes }) => bytes)));
      },
    ),
    { numRuns: process.env.EBB_LONG === '1' ? 10_000 : runs(300) },
  );
});
