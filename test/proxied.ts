import { ebbInterceptor } from '@ebb/axios';
import { attemptsOf, constant } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import axios from 'axios';

// A program whose environment names a proxy. It prints the attempts of its requests.

const [, , url = ''] = process.argv;
const options = { backoff: constant(0) };
const ebbFetch = createFetch(options);
axios.interceptors.request.use(ebbInterceptor(options));

const clients: Readonly<Record<string, (method: string, body?: string) => Promise<object>>> = {
  fetch: async (method, body) => {
    const response = await ebbFetch(url, { method, ...(body && { body }) });
    await response.text();
    return response;
  },
  axios: (method, data) => axios.request({ url, method, data }),
};

for (const [name, send] of Object.entries(clients)) {
  for (const method of ['GET', 'POST']) {
    const result = await send(method, method === 'POST' ? 'x' : undefined).catch((error) => error as object);
    const attempts = attemptsOf(result).map(
      ({ failure, status, reason }) => `${failure ?? status} ${reason}`,
    );
    console.log(`${name} ${method}: ${attempts.join(', ')}`);
  }
}
