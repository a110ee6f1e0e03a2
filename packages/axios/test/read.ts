import { Readable } from 'node:stream';

/** The bytes of `data` as text, whatever its type. Parsed JSON is written again. */
export async function textIn(data: unknown): Promise<string> {
  if (typeof data === 'string') return data;
  if (data instanceof Readable || data instanceof ReadableStream) return (await bytesIn(data)).toString();
  if (data instanceof Blob) return data.text();
  if (data instanceof ArrayBuffer || data instanceof Uint8Array)
    return Buffer.from(data as Uint8Array).toString();
  return JSON.stringify(data);
}

/** The bytes of a stream, whose parts may be text. */
export async function bytesIn(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part as Uint8Array));
  return Buffer.concat(parts);
}
