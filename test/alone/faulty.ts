import type { AdapterUnderTest, Client } from '@ebb/testing';
import { fetchClient } from '../fetch-client.ts';
import { adapter as right } from './adapters/fetch.ts';

type Fault = (bare: Client, ...call: Parameters<Client['send']>) => ReturnType<Client['send']>;

/** What is wrong in which row. */
const FAULTS: Readonly<Record<string, Fault>> = {
  '200': () => new Promise(() => undefined),
  '404': async (bare, ...call) => {
    setInterval(() => undefined, 1_000);
    return bare.send(...call);
  },
  '503, then 200': async (_, url) => {
    const response = await fetch(url);
    return { status: response.status, body: await response.text() };
  },
  'a refused connection': () => {
    process.exitCode = 1;
    return new Promise(() => undefined);
  },
  'a response before the upload is complete': (bare, ...call) => {
    void Promise.reject(new Error('no one handles this'));
    return bare.send(...call);
  },
};

/** A client of fetch with one fault in each of some rows, to try the check with. */
export const adapter: AdapterUnderTest = {
  ...right,
  name: 'a faulty client',
  client(policy, limits) {
    const fault = FAULTS[process.argv[2] ?? ''];
    if (fault === undefined) return right.client(policy, limits);
    const bare = fetchClient(policy);
    return { ...bare, send: (...call) => fault(bare, ...call) };
  },
};
