import { CHECKED_AFTER_MS, LONG_BYTES, SHORT, type SlotRow, type SlotWay } from '../slot-row.ts';

/** Reads a web stream, and returns its length. */
export async function bytesOf(body: ReadableStream<Uint8Array> | null): Promise<number> {
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.length;
  return bytes;
}

export const failed = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'whole',
    () => 'broken',
  );

/** Ways to use a `Response`. */
export const fetchSlotRows: readonly SlotRow<Response>[] = [
  { name: 'text()', path: 'short', use: (response) => response.text(), gives: SHORT },
  {
    name: 'arrayBuffer()',
    path: 'long',
    use: async (response) => (await response.arrayBuffer()).byteLength,
    gives: LONG_BYTES,
  },
  { name: 'a reader', path: 'long', use: (response) => bytesOf(response.body), gives: LONG_BYTES },
  {
    name: 'a pipe',
    path: 'long',
    use: (response) => bytesOf(response.body?.pipeThrough(new TransformStream()) ?? null),
    gives: LONG_BYTES,
  },
  {
    name: 'a new Response with its body',
    path: 'short',
    use: (response) => new Response(response.body).text(),
    gives: SHORT,
  },
  {
    name: 'both the response and a clone',
    path: 'long',
    use: (response) =>
      Promise.all([response.clone(), response].map(async (one) => (await one.text()).length)),
    gives: [LONG_BYTES, LONG_BYTES],
  },
  {
    name: 'a branch of tee()',
    path: 'short',
    use: (response) => new Response(response.body?.tee()[1] ?? null).text(),
    gives: SHORT,
  },
  {
    name: 'text() after a reader that did not read',
    path: 'short',
    use: async (response) => {
      response.body?.getReader().releaseLock();
      return response.text();
    },
    gives: SHORT,
    refusedIn: { Bun: 'its own fetch rejects: Body already used' },
  },
  {
    name: 'a reader after one that did not read',
    path: 'long',
    use: async (response) => {
      response.body?.getReader().releaseLock();
      return bytesOf(response.body);
    },
    gives: LONG_BYTES,
  },
  {
    name: 'a clone after a reader that did not read',
    path: 'short',
    use: async (response) => {
      response.body?.getReader().releaseLock();
      const copy = response.clone();
      return [await copy.text(), await response.text()];
    },
    gives: [SHORT, SHORT],
    refusedIn: { Bun: 'its own clone() throws: Body is disturbed or locked' },
  },
  {
    name: 'a short body with a reader that did not read',
    path: 'short',
    use: async (response, clock) => {
      response.body?.getReader().releaseLock();
      await clock.advance(CHECKED_AFTER_MS);
    },
    gives: undefined,
  },
  { name: 'no body', path: 'empty', use: () => 'unread', gives: 'unread' },
  { name: 'HEAD', path: 'short', method: 'HEAD', use: () => 'unread', gives: 'unread' },
  { name: 'an unread 404', path: 'missing', use: () => 'unread', gives: 'unread' },
  {
    name: 'a short unread body',
    path: 'short',
    use: async (_, clock) => void (await clock.advance(CHECKED_AFTER_MS)),
    gives: undefined,
  },
  {
    name: 'a short body that is read late',
    path: 'short',
    use: async (response, clock) => {
      await clock.advance(CHECKED_AFTER_MS);
      return response.text();
    },
    gives: SHORT,
  },
  {
    name: 'a long body that is cancelled',
    path: 'long',
    use: async (response) => void (await response.body?.cancel()),
    gives: undefined,
  },
  {
    name: 'a reader that is cancelled after a part',
    path: 'long',
    use: async (response) => {
      const reader = response.body?.getReader();
      await reader?.read();
      await reader?.cancel();
    },
    gives: undefined,
  },
  {
    name: 'a body that breaks during text()',
    path: 'half',
    use: (response) => failed(response.text()),
    gives: 'broken',
  },
  {
    name: 'a body that breaks during a read',
    path: 'half',
    use: (response) => failed(bytesOf(response.body)),
    gives: 'broken',
  },
];

/** Over a dispatcher, the slot is free once a short body has arrived, read or not. */
export const createFetchSlotRows: readonly SlotRow<Response>[] = [
  ...fetchSlotRows,
  {
    // ebb cannot read what a reader had locked when it looked, and no one tells it of the release.
    name: 'a reader that is released late and unread, and only then another reads',
    path: 'short',
    use: async (response, clock, inUse) => {
      const reader = response.body?.getReader();
      await clock.advance(CHECKED_AFTER_MS);
      reader?.releaseLock();
      await clock.advance(CHECKED_AFTER_MS);
      const held = inUse();
      return [held, await bytesOf(response.body)];
    },
    gives: [1, SHORT.length],
  },
];

/** None of them keeps a reference to the response. */
export const fetchSlotWays: readonly SlotWay<Response>[] = [
  { use: (response) => response.text() },
  { use: (response) => response.blob() },
  { use: (response) => bytesOf(response.body) },
  { use: (response) => bytesOf(response.body?.pipeThrough(new TransformStream()) ?? null) },
  { use: (response) => new Response(response.body).text() },
  { use: (response) => response.clone().text() },
];
