import { Readable } from 'node:stream';

/** What a client gives its caller, in the same words for all clients. */
export interface Reply {
  readonly status: number;
  /** Reads the body to its end. */
  all(): Promise<Buffer>;
  /** Reads a part of the body, and gives up the rest. */
  half(then?: () => void): Promise<Buffer>;
  cancel(): Promise<void>;
  /** A second reader of the same body, if the client has such a thing. */
  clone?(): Reply;
}

type Chunk = Uint8Array | string;

const bufferOf = (part: Chunk): Buffer => Buffer.from(part as Uint8Array);

/** Of a body that has arrived. */
export function readReply(status: number, data: unknown): Reply {
  const bytes = data instanceof ArrayBuffer ? Buffer.from(data) : bufferOf((data ?? '') as Chunk);
  return {
    status,
    all: async () => bytes,
    half: async (then) => {
      then?.();
      return bytes;
    },
    cancel: async () => undefined,
  };
}

/** Of a Node stream. */
export function streamReply(status: number, stream: Readable): Reply {
  async function read(isAll: boolean, then?: () => void): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of stream as AsyncIterable<Chunk>) {
      parts.push(bufferOf(part));
      if (!isAll) {
        then?.();
        // An abort must reach the reader: it reads on.
        if (then === undefined) break;
      }
    }
    return Buffer.concat(parts);
  }
  return {
    status,
    all: () => read(true),
    half: (then) => read(false, then),
    async cancel() {
      stream.on('error', () => undefined).destroy();
    },
  };
}

/** Of a web stream. */
export function webReply(status: number, stream: ReadableStream<Uint8Array> | null): Reply {
  if (stream === null) return readReply(status, undefined);
  async function read(isAll: boolean, then?: () => void): Promise<Buffer> {
    const parts: Buffer[] = [];
    const reader = (stream as ReadableStream<Uint8Array>).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(bufferOf(value));
      if (isAll) continue;
      then?.();
      if (then === undefined) {
        await reader.cancel();
        break;
      }
    }
    return Buffer.concat(parts);
  }
  return {
    status,
    all: () => read(true),
    half: (then) => read(false, then),
    cancel: async () => (stream.locked ? undefined : stream.cancel()),
  };
}

/** Of a response of any fetch. */
export function fetchReply(response: Response): Reply {
  const body = response.body as unknown;
  const status = response.status;
  const all = async (): Promise<Buffer> => Buffer.from(await response.arrayBuffer());
  // Of node-fetch: its clones lose the errors of their stream, and wait for each other.
  if (body instanceof Readable) return { ...streamReply(status, body), all };
  const reply = webReply(status, body as ReadableStream<Uint8Array> | null);
  return { ...reply, all, clone: () => fetchReply(response.clone()) };
}
