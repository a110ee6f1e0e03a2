import type { AdapterUnderTest, Got } from '@ebb/testing';
import { fetchClient } from '../../fetch-client.ts';
import { traits } from '../../traits.ts';

/** What it does in place of its send, by the method. */
const FAULTS: Readonly<Record<string, (url: string) => Promise<Got> | undefined>> = {
  /** Sends without ebb. */
  PUT: async (url) => {
    const response = await fetch(url, { method: 'PUT', body: 'text' });
    return { status: response.status, body: await response.text() };
  },
  /** Leaves something that keeps its program from ending. */
  DELETE: () => void setInterval(() => undefined, 60_000),
  PATCH: () => process.emitWarning('a warning') as undefined,
  /** Ends the program. */
  POST: () => process.exit(),
};

/** A client with a fault for each method but GET. */
export const adapter: AdapterUnderTest = {
  ...traits.fetch,
  name: 'wrong',
  client(policy) {
    const client = fetchClient(policy);
    return {
      ...client,
      send: (url, sent, signal) => FAULTS[sent.method ?? 'GET']?.(url) ?? client.send(url, sent, signal),
    };
  },
};
