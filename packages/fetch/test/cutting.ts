import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A request as the server received it: its head alone. */
export interface Head {
  /** From 0. */
  readonly number: number;
  readonly method: string;
  readonly path: string;
  /** A header by its lower-case name. */
  header(name: string): string | undefined;
}

/** A response in bytes, as it goes over the wire. */
export interface Written {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: Uint8Array | string;
  /** How many bytes of the body are sent before the connection ends. All if it is left out. */
  readonly cutAfter?: number | undefined;
  /** True if the connection ends without the end of the body. */
  readonly breaks?: boolean;
  /** True if the connection stays open, and nothing more comes. */
  readonly isSilent?: boolean;
}

export interface Cutting extends AsyncDisposable {
  readonly url: string;
  readonly heads: Head[];
  /** How many connections are open. */
  readonly open: () => number;
}

function headOf(text: string, number: number): Head {
  const [line = '', ...fields] = text.split('\r\n');
  const [method = '', path = ''] = line.split(' ');
  const headers = new Map(
    fields.map((field) => [
      field.slice(0, field.indexOf(':')).toLowerCase(),
      field.slice(field.indexOf(':') + 1).trim(),
    ]),
  );
  return { number, method, path, header: (name) => headers.get(name) };
}

/** The response as text and bytes. Without a `content-length` the body is chunked, so that its end is known. */
function write(
  socket: Socket,
  { status = 200, headers = {}, body = '', cutAfter, breaks, isSilent }: Written,
): void {
  const bytes = Buffer.from(body as string);
  const sent = bytes.subarray(0, cutAfter);
  const hasLength = 'content-length' in headers || status === 204;
  const fields = Object.entries({ ...headers, ...(!hasLength && { 'transfer-encoding': 'chunked' }) });
  const head = `HTTP/1.1 ${status} x\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  socket.write(head);
  const chunk = (part: Buffer) =>
    Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);
  if (sent.length > 0) socket.write(hasLength ? sent : chunk(sent));
  if (isSilent) return;
  const isCut = breaks ?? (cutAfter !== undefined && cutAfter <= bytes.length);
  if (isCut) socket.end();
  else if (!hasLength) socket.write('0\r\n\r\n');
}

/** A server on loopback that writes what it is given, and ends its connections where it is told to. */
export async function cutting(respond: (head: Head) => Written): Promise<Cutting> {
  const sockets = new Set<Socket>();
  const heads: Head[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = '';
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (part) => {
      text += part.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = headOf(text.slice(0, end), heads.length);
      // Requests of these tests have no body, or a short one in the same packet.
      text = '';
      heads.push(head);
      write(socket, respond(head));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    heads,
    open: () => sockets.size,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A server that gives these responses in turn, and the last of them again. */
export function scripted(...script: readonly (Written | ((head: Head) => Written))[]): Promise<Cutting> {
  return cutting((head) => {
    const step = script[Math.min(head.number, script.length - 1)] ?? {};
    return typeof step === 'function' ? step(head) : step;
  });
}

/** The event stream of the tests: 35 events with ids, 1,182 bytes with line feeds. */
export function eventsOf(lineEnd: string): readonly string[] {
  const lines = Array.from({ length: 35 }, (_, index) => {
    const data = 'event-payload-'.concat(String(index)).padEnd(index < 27 ? 19 : 18, '.');
    return [`id: ${index + 1}`, `data: ${data}`, '', ''];
  });
  lines[0]?.unshift('retry: 0');
  return lines.map((event) => event.join(lineEnd));
}

/** The rest of a stream after the id that a request names. */
export function after(events: readonly string[], head: Head): string {
  return events.slice(Number(head.header('last-event-id') ?? 0)).join('');
}

export const EVENT_STREAM = { 'content-type': 'text/event-stream; charset=utf-8' };

/** A download of a body, whole or its range. */
export function partOf(body: Uint8Array, head: Head, etag = '"a"'): Written {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(head.header('range') ?? '') ?? [];
  if (first === undefined) return { headers: { 'content-length': body.length, etag }, body };
  const part = body.subarray(Number(first), Number(last) + 1);
  const range = `bytes ${first}-${last}/${body.length}`;
  return {
    status: 206,
    headers: { 'content-length': part.length, 'content-range': range, etag },
    body: part,
  };
}
