import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import { attemptsOf, constant } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios from 'axios';
import { type Dispatcher, MockAgent, request } from 'undici';
import { describe, expect, test } from 'vitest';

const URL = 'http://strange.test/';
const READ = ['name', 'message', 'code', 'syscall', 'cause', 'errors', 'stack'] as const;
const options = { backoff: constant(0), maxRetries: 1 };

/** A lost connection whose error throws when one of these properties is read. */
function strange(names: readonly string[]): Error {
  const error = Object.assign(new Error('lost'), { code: 'ECONNRESET' });
  for (const name of names) {
    Object.defineProperty(error, name, {
      get() {
        throw new Error(`${name} cannot be read`);
      },
    });
  }
  return error;
}

/** Sends a request that fails with the error, and returns what it fails with and how often it was sent. */
type Send = (error: Error) => Promise<{ readonly thrown: unknown; readonly sent: number }>;

async function thrownBy(call: () => Promise<unknown>): Promise<unknown> {
  return call().then(
    () => 'nothing',
    (error: unknown) => error,
  );
}

const clients: Readonly<Record<string, Send>> = {
  async fetch(error) {
    let sent = 0;
    const ebbFetch = createFetch(options, async () => {
      sent += 1;
      throw error;
    });
    return { thrown: await thrownBy(() => ebbFetch(URL)), sent };
  },
  async axios(error) {
    let sent = 0;
    const client = axios.create({
      adapter: async () => {
        sent += 1;
        throw error;
      },
    });
    client.interceptors.request.use(ebbAxios(options));
    return { thrown: await thrownBy(() => client.get(URL)), sent };
  },
  async undici(error) {
    const agent = new MockAgent();
    let sent = 0;
    const failing: Dispatcher.DispatcherComposeInterceptor = () => (_, handler) => {
      sent += 1;
      handler.onRequestStart?.(undefined as never, {});
      handler.onResponseError?.(undefined as never, error);
      return true;
    };
    const dispatcher = agent.compose(failing, ebbUndici(options));
    const thrown = await thrownBy(() => request(URL, { dispatcher }));
    await agent.close();
    return { thrown, sent };
  },
};

describe.each(Object.entries(clients))('%s', (_, send) => {
  test.each(READ)('an error whose %s throws reaches the caller as it is', async (name) => {
    const error = strange([name]);
    const { thrown, sent } = await send(error);
    expect(thrown === error).toBe(true);
    // Only the code identifies the lost connection. Without it the failure is final.
    expect(sent).toBe(name === 'code' ? 1 : 2);
    expect(attemptsOf(error)).toHaveLength(sent);
  });

  test('an error whose properties all throw reaches the caller as it is', async () => {
    const error = strange(READ);
    const { thrown, sent } = await send(error);
    expect(thrown === error).toBe(true);
    expect(sent).toBe(1);
  });
});
