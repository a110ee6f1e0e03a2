import * as undici8 from 'undici';
import * as undici7 from 'undici7';

/** The supported versions. Their types agree in everything that the tests use. */
export const versions: Readonly<Record<string, typeof undici8>> = {
  'undici 8': undici8,
  'undici 7': undici7 as unknown as typeof undici8,
};

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** What the responses of all clients have. */
interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  text(): Promise<string>;
}

/** A way to send a request through a dispatcher. */
export interface Client {
  readonly name: string;
  readonly undici: typeof undici8;
  /** True for a `fetch`, which gives the dispatcher every body as a generator. */
  readonly isFetch: boolean;
  readonly FormData: typeof FormData;
  send(url: string, dispatcher: undici8.Dispatcher, sent?: Sent): Promise<Got>;
  /** The body of the response to a GET; a `fetch` decodes it. */
  bytes(url: string, dispatcher: undici8.Dispatcher): Promise<ArrayBuffer>;
}

function requestOf(version: string, undici: typeof undici8): Client {
  return {
    name: `request of ${version}`,
    undici,
    isFetch: false,
    FormData: undici.FormData as unknown as typeof FormData,
    async send(url, dispatcher, sent = {}) {
      const { statusCode, headers, body } = await undici.request(url, { ...(sent as object), dispatcher });
      return { status: statusCode, headers: headers as Record<string, string>, text: () => body.text() };
    },
    async bytes(url, dispatcher) {
      return (await undici.request(url, { dispatcher })).body.arrayBuffer();
    },
  };
}

function fetchOf(name: string, undici: typeof undici8, fetch: unknown, Form: unknown): Client {
  return {
    name,
    undici,
    isFetch: true,
    FormData: Form as typeof FormData,
    async send(url, dispatcher, sent = {}) {
      const init = { ...(sent as object), dispatcher, duplex: 'half' as const };
      const response = await (fetch as typeof undici8.fetch)(url, init);
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        text: () => response.text(),
      };
    },
    async bytes(url, dispatcher) {
      return (await (fetch as typeof undici8.fetch)(url, { dispatcher })).arrayBuffer();
    },
  };
}

/** Every client over every version, Node's own fetch included. */
export const clients: readonly Client[] = Object.entries(versions).flatMap(([version, undici]) => [
  requestOf(version, undici),
  fetchOf(`fetch of ${version}`, undici, undici.fetch, undici.FormData),
  fetchOf(`Node's fetch over ${version}`, undici, fetch, FormData),
]);
