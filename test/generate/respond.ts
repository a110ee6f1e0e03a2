import { gzipSync } from 'node:zlib';
import type { Origin, Seen, Served } from './record.ts';

/** The connection of a request, to the server's side. */
export interface Line {
  readonly seen: Seen;
  readonly urls: Readonly<Record<Origin, string>>;
  /** False once the client has closed the connection. */
  readonly isOpen: boolean;
  write(bytes: Buffer | string): void;
  pause(ms: number): Promise<void>;
  /** Ends the connection after what was written. */
  end(): void;
  /** Resets the connection. */
  reset(): void;
}

export interface Response {
  readonly status: number;
  /** The content of the representation, decoded. */
  readonly content: Buffer;
  /** Where in the content the body begins. */
  readonly from?: number;
  /** The bytes of the body, if they are not the content from there on. */
  readonly body?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly framing?: 'length' | 'chunked' | 'close';
  readonly location?: string;
  readonly etag?: string;
}

/** How much of a response is sent, and how. */
export interface Sending {
  /** The share of the body that is sent; the rest is not. */
  readonly share?: number;
  /** How the connection ends after a part. */
  readonly ends?: 'reset' | 'close';
  /** The pause between the parts of a body, in milliseconds. */
  readonly pauseMs?: number;
}

const NO_BODY = new Set([204, 304]);

function headOf({ status, headers, framing = 'length', location, etag }: Response, length: number): string {
  const lines = [`HTTP/1.1 ${status} ${status === 200 ? 'OK' : 'Status'}`];
  const all: Record<string, string> = { 'content-type': 'text/plain', ...headers };
  if (location !== undefined) all.location = location;
  if (etag !== undefined) all.etag = etag;
  if (framing === 'chunked') all['transfer-encoding'] = 'chunked';
  if (framing === 'length' && status !== 204) all['content-length'] = String(length);
  if (framing === 'close') all.connection = 'close';
  for (const [name, value] of Object.entries(all)) lines.push(`${name}: ${value}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** The parts in which a body is written. */
function partsOf(body: Buffer, pauseMs: number | undefined): readonly Buffer[] {
  if (body.length === 0) return [];
  const size = pauseMs === undefined ? 40_000 : Math.ceil(body.length / 3);
  return Array.from({ length: Math.ceil(body.length / size) }, (_, at) =>
    body.subarray(at * size, (at + 1) * size),
  );
}

const chunk = (part: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);

/** Sends a response, or the beginning of one, and notes in the record what was sent. */
export async function respond(line: Line, response: Response, sending: Sending = {}): Promise<void> {
  const { seen } = line;
  const { status, content, from = 0, framing = 'length' } = response;
  const { share = 1, ends, pauseMs } = sending;
  const whole = response.body ?? content.subarray(from);
  const isBare = seen.method === 'HEAD' || NO_BODY.has(status);
  const body = isBare ? Buffer.alloc(0) : whole.subarray(0, Math.floor(whole.length * share));
  const isCut = !isBare && (body.length < whole.length || (share < 1 && framing !== 'length'));
  const served: Served = {
    status,
    content,
    from,
    sent: 'open',
    ...(response.body && { coded: body }),
  };
  seen.served = served;
  const last = isCut ? 'cut' : 'whole';
  const parts = partsOf(body, pauseMs);
  const isLast = (): void => {
    served.sent = last;
    served.endMs = performance.now();
  };
  if (parts.length === 0) isLast();
  line.write(headOf(response, whole.length));
  for (const [at, part] of parts.entries()) {
    if (pauseMs !== undefined && at > 0) await line.pause(pauseMs);
    if (!line.isOpen) return;
    if (at === parts.length - 1) isLast();
    line.write(framing === 'chunked' ? chunk(part) : part);
  }
  if (framing === 'chunked' && !isCut && !isBare) line.write('0\r\n\r\n');
  if (ends === 'reset') {
    // What was written has to leave first: a reset drops what the other side has not read.
    await line.pause(1);
    line.reset();
  } else if (ends === 'close' || framing === 'close' || seen.headers.connection === 'close') line.end();
}

/** As the server of a file that is compressed, or the first part of it. */
export function gzipped(content: Buffer, share: number): Response {
  const bytes = gzipSync(content);
  const body = bytes.subarray(0, Math.ceil(bytes.length * share));
  return { status: 200, content, body, headers: { 'content-encoding': 'gzip' } };
}
