import { constant, createPolicy } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resumable } from '../fetch.ts';

interface Dispatched {
  readonly event: string;
  readonly data: string;
  readonly id: string;
}

/** An EventSource, written after WHATWG HTML §9.2.6 one character at a time; as browsers do, the id outlives a connection. */
class EventSourceModel {
  readonly events: Dispatched[] = [];
  id = '';
  retryMs: number | undefined;
  #event = '';
  #data = '';
  #buffer = '';

  /** Reads one connection, up to where it breaks. What is unfinished then is thrown away. */
  connection(text: string): void {
    this.#event = '';
    this.#data = '';
    this.#buffer = this.id;
    let line = '';
    const from = text.startsWith('\uFEFF') ? 1 : 0;
    for (let at = from; at < text.length; at += 1) {
      const character = text[at];
      if (character !== '\r' && character !== '\n') {
        line += character;
        continue;
      }
      if (character === '\r' && text[at + 1] === '\n') at += 1;
      this.#line(line);
      line = '';
    }
  }

  #line(line: string): void {
    if (line === '') {
      this.id = this.#buffer;
      if (this.#data !== '')
        this.events.push({ event: this.#event || 'message', data: this.#data.slice(0, -1), id: this.id });
      this.#event = '';
      this.#data = '';
      return;
    }
    if (line[0] === ':') return;
    const [field = ''] = line.split(':', 1);
    let value = line.slice(field.length + 1);
    if (value[0] === ' ') value = value.slice(1);
    if (field === 'event') this.#event = value;
    if (field === 'data') this.#data += `${value}\n`;
    if (field === 'id' && !value.includes('\u0000')) this.#buffer = value;
    if (field === 'retry' && value !== '' && [...value].every((one) => one >= '0' && one <= '9'))
      this.retryMs = Number(value);
  }
}

const value = fc.oneof(
  fc.constantFrom('', ' ', ' a', 'b', '1', '20', '2x', '\u0000', 'ö€😀', ': x'),
  fc.string({ maxLength: 4 }),
);
const lineOf = fc.oneof(
  { weight: 4, arbitrary: value.map((data) => `data:${data}`) },
  { weight: 3, arbitrary: value.map((id) => `id:${id}`) },
  { weight: 1, arbitrary: value.map((retry) => `retry:${retry}`) },
  { weight: 1, arbitrary: value.map((event) => `event:${event}`) },
  { weight: 1, arbitrary: value.map((comment) => `:${comment}`) },
  { weight: 1, arbitrary: fc.constantFrom('id', 'data', 'retry', '\uFEFFid: 9', 'Data: x', 'other: y') },
  { weight: 4, arbitrary: fc.constant('') },
);
const connection = fc
  .record({
    hasMark: fc.boolean(),
    lines: fc.array(fc.tuple(lineOf, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 14 }),
    sizes: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
  })
  .map(({ hasMark, lines, sizes }) => ({
    text: `${hasMark ? '\uFEFF' : ''}${lines.flat().join('')}`,
    sizes,
  }));

/** A body that arrives in parts of these sizes, in turn, and then breaks. */
function bodyOf(text: string, sizes: readonly number[], breaks: boolean): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  let number = 0;
  return new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const size = sizes[number++ % sizes.length] ?? 1;
      if (at < bytes.length) controller.enqueue(bytes.slice(at, at + size));
      else if (breaks) controller.error(new TypeError('terminated'));
      else controller.close();
      at += size;
    },
  } as UnderlyingByteSource);
}

const headers = { 'content-type': 'text/event-stream' };

/** The long run draws 100,000 streams. */
const numRuns = process.env.EBB_LONG === '1' ? 100_000 : 2_000;

test('for any streams the caller’s bytes are those of whole events, and every reconnection is that of an EventSource', async () => {
  let resumed = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(connection, { minLength: 1, maxLength: 4 }), async (connections) => {
      const model = new EventSourceModel();
      const clock = virtualClock();
      const policy = createPolicy({ backoff: constant(7), clock, retryAfter: { maxMs: 1e15 } });
      const asked: (string | null)[] = [];
      const sentAtMs: number[] = [];
      /** The state of the model when each request was sent. */
      const wanted: { id: string; delayMs: number }[] = [];
      const fetch = resumable(
        async (_: unknown, init?: RequestInit) => {
          asked.push(new Headers(init?.headers).get('last-event-id'));
          sentAtMs.push(clock.elapsedMs);
          const { text, sizes } = connections[asked.length - 1] ?? { text: '', sizes: [1] };
          if (asked.length > connections.length) return new Response(null, { status: 204 });
          wanted.push({ id: model.id, delayMs: model.retryMs ?? 7 });
          model.connection(text);
          return new Response(bodyOf(text, sizes, true), { headers });
        },
        { policy, maxResumes: 9 },
      );
      const parts: Uint8Array[] = [];
      let error: unknown;
      const reading = (async () => {
        const response = await fetch('http://upstream.test/');
        for await (const part of response.body as ReadableStream<Uint8Array>) parts.push(part);
      })();
      await clock.runUntilSettled(
        reading.catch((broken: unknown) => {
          error = broken;
        }),
      );
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(parts));

      // A reader that knows of no connections sees the events that an EventSource dispatches over all of them.
      const reader = new EventSourceModel();
      reader.connection(text);
      const what = ({ event, data, id }: Dispatched): unknown => [event, data, id];
      expect(reader.events.map(what)).toEqual(model.events.map(what));
      for (let number = 1; number < asked.length && number < wanted.length; number += 1) {
        resumed += 1;
        const id = wanted[number]?.id;
        if (asked[number] !== null || id !== '')
          expect(asked[number]).toBe(
            Buffer.from(id ?? '')
              .toString('latin1')
              .replace(/^[ \t]+|[ \t]+$/g, ''),
          );
        expect((sentAtMs[number] ?? 0) - (sentAtMs[number - 1] ?? 0)).toBe(wanted[number]?.delayMs);
      }
      if (error !== undefined)
        expect(String((error as Error & { cause: Error }).cause)).toMatch(/without an id|taken back|failed/);
    }),
    { numRuns },
  );
  expect(resumed).toBeGreaterThan(numRuns / 10);
}, 1_200_000);
