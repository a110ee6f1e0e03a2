// An access token expires while requests are under way. `beforeAttempt` sends the newest token with each attempt, so a
// retry after a long wait is not refused for its old one. An interceptor refreshes after a 401, once for all requests, and
// sends each of them once more. Prints:
//   200, 200, 200 after 1 refresh; the server saw 401, 401, 401, 503, 503, 503, 200, 200, 200
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ebbInterceptor } from '@ebb/axios';
import { constant } from '@ebb/core';
import axios, { type AxiosError } from 'axios';

const seen: number[] = [];
const server = createServer(({ url, headers }, response) => {
  if (url === '/token') return response.end('new');
  const isOld = headers.authorization === 'Bearer old';
  seen.push(isOld ? 401 : seen.filter((status) => status === 503).length < 3 ? 503 : 200);
  return response.writeHead(seen.at(-1) ?? 200).end();
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const again = axios.create({ baseURL });
const client = axios.create({ baseURL });
let refreshes = 0;
const refresh = async () => {
  refreshes += 1;
  return (await axios.post<string>(`${baseURL}/token`)).data; // Not through `client`, which waits for the token.
};
let token = Promise.resolve('old');
const beforeAttempt = async () => ({ authorization: `Bearer ${await token.catch(() => 'none')}` });
const ebb = ebbInterceptor({ beforeAttempt, backoff: constant(50) });
for (const instance of [again, client]) instance.interceptors.request.use(ebb);

const tokens = new WeakMap<object, Promise<string>>();
client.interceptors.request.use((config) => {
  tokens.set(config, token);
  return config;
});
client.interceptors.response.use(null, async (error: AxiosError) => {
  const { config, response } = error;
  if (response?.status !== 401 || config === undefined) throw error;
  if (tokens.get(config) === token) token = refresh(); // Later 401s of the old token find a new one.
  return again.request(config); // Has no interceptor for 401: a token that is refused again is an error.
});

const responses = await Promise.all([1, 2, 3].map(() => client.get('/')));
const statuses = responses.map(({ status }) => status).join(', ');
console.log(`${statuses} after ${refreshes} refresh; the server saw ${seen.join(', ')}`);
server.close();
