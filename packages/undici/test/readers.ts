import { PassThrough, type Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Dispatcher } from 'undici';
import { versions } from './clients.ts';

/** A way to send a GET and to read the body of its response. */
export interface Reader {
  readonly name: string;
  readonly version: string;
  /** Rejects if the body cannot be read to its end. */
  read(url: string, dispatcher: Dispatcher): Promise<unknown>;
}

async function iterated(body: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of body);
}

async function readOut({ body }: Response): Promise<void> {
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  while (!(await reader.read()).done);
}

const FETCH_WAYS: Readonly<Record<string, (response: Response) => Promise<unknown>>> = {
  'text()': (response) => response.text(),
  'arrayBuffer()': (response) => response.arrayBuffer(),
  'getReader()': readOut,
  'for await': ({ body }) => iterated(body as unknown as AsyncIterable<unknown>),
};

const REQUEST_WAYS: Readonly<Record<string, (body: Dispatcher.ResponseData['body']) => Promise<unknown>>> = {
  'text()': (body) => body.text(),
  'arrayBuffer()': (body) => body.arrayBuffer(),
  'for await': iterated,
};

function readersOf(version: string, undici: (typeof versions)[string]): readonly Reader[] {
  const fetches = { [`fetch of ${version}`]: undici.fetch, [`Node's fetch over ${version}`]: fetch };
  return [
    ...Object.entries(fetches).flatMap(([name, send]) =>
      Object.entries(FETCH_WAYS).map(([way, use]) => ({
        name: `${name}, ${way}`,
        version,
        read: async (url: string, dispatcher: Dispatcher) =>
          use((await (send as typeof fetch)(url, { dispatcher } as RequestInit)) as Response),
      })),
    ),
    ...Object.entries(REQUEST_WAYS).map(([way, use]) => ({
      name: `request of ${version}, ${way}`,
      version,
      read: async (url: string, dispatcher: Dispatcher) =>
        use((await undici.request(url, { dispatcher })).body),
    })),
    {
      name: `stream of ${version}`,
      version,
      read: (url, dispatcher) =>
        undici.stream(url, { method: 'GET', dispatcher }, () => new PassThrough().resume()),
    },
    {
      name: `pipeline of ${version}`,
      version,
      read(url, dispatcher) {
        const through = undici.pipeline(url, { method: 'GET', dispatcher }, ({ body }): Readable => body);
        return finished(through.resume().end());
      },
    },
  ];
}

/** Every reader of every version. */
export const readers: readonly Reader[] = Object.entries(versions).flatMap(([version, undici]) =>
  readersOf(version, undici),
);
