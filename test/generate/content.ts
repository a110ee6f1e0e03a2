/** Numbers in a row: a byte that is missing, doubled or moved shows. */
const FILLER = Buffer.from(Array.from({ length: 80_000 }, (_, at) => at.toString(36)).join(','));

/** Bytes that only this label has. A short body is cut from its label. */
export function contentOf(label: string, size: number): Buffer {
  const start = Buffer.from(`${label}|`);
  const rest = Math.max(0, size - start.length);
  return Buffer.concat([start.subarray(0, size), FILLER.subarray(0, rest)]);
}

/** An object in JSON that says what the request has cost. */
export function usageOf(label: string, used: number | string, size: number): Buffer {
  return Buffer.from(JSON.stringify({ used, id: label, pad: 'p'.repeat(Math.min(size, 2_000)) }));
}

/** The events `from` to `count` of a stream, each with its number as id. */
export function eventsOf(label: string, from: number, count: number): Buffer {
  const events: string[] = [];
  for (let id = from; id <= count; id += 1)
    events.push(`id: ${id}\ndata: ${label}.e${id} ${'-'.repeat(id % 40)}\n\n`);
  return Buffer.from(events.join(''));
}

/** How many events a stream of about this size has. */
export function eventCount(size: number): number {
  return 1 + Math.min(40, Math.floor(size / 50));
}
