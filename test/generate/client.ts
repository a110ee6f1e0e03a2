import type { PolicyOptions } from '@ebb/core';
import type { Case } from './case.ts';
import { axiosClient } from './client-axios.ts';
import { fetchClient } from './client-fetch.ts';
import { undiciClient } from './client-undici.ts';
import type { Reply } from './reply.ts';

/** A request, in the same words for all clients. */
export interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** True if the caller gives up the body: for a client that is given a stream to write it to. */
  readonly givesUp: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** A client of a case. */
export interface Client {
  send(sent: Sent): Promise<Reply>;
  /** Ends its connections. */
  close(): Promise<void>;
}

/** What a client is made of. */
export interface Making {
  readonly of: Case;
  /** `undefined` for the bare client. */
  readonly policy: PolicyOptions | undefined;
  /** The policy of a layer below; `undefined` if there is none. */
  readonly inner: PolicyOptions | undefined;
}

export function makeClient(making: Making): Client {
  const { client } = making.of;
  if (client.startsWith('axios')) return axiosClient(making);
  if (client === 'fetch' || client === 'undici-fetch' || client === 'node-fetch') return fetchClient(making);
  return undiciClient(making);
}
