// An access token expires while requests are under way. One refresh is for all of them, and each goes again with the new
// token; a retry after a 503 has it as well. Prints:
//   200, 200, 200 after 1 refresh; the server saw 401, 401, 401, 503, 503, 503, 200, 200, 200
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ebbInterceptor } from '@ebb/axios';
import { constant, refreshOn401 } from '@ebb/core';
import axios from 'axios';

const seen: number[] = [];
const server = createServer(({ url, headers }, response) => {
  if (url === '/token') return response.end('new');
  const isOld = headers.authorization !== 'Bearer new';
  seen.push(isOld ? 401 : seen.filter((status) => status === 503).length < 3 ? 503 : 200);
  return response.writeHead(seen.at(-1) ?? 200).end();
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

let refreshes = 0;
const refreshing = refreshOn401({
  async refresh({ signal }) {
    refreshes += 1;
    // Not through `client`, which waits for it.
    const { data } = await axios.post<string>(`${baseURL}/token`, undefined, { signal });
    return { authorization: `Bearer ${data}` };
  },
});
const client = axios.create({ baseURL, headers: { authorization: 'Bearer old' } });
// No other server gets the token.
const trustedOrigins = [new URL(baseURL).origin];
const plugins = [refreshing];
client.interceptors.request.use(ebbInterceptor({ plugins, trustedOrigins, backoff: constant(50) }));

const responses = await Promise.all([1, 2, 3].map(() => client.get('/')));
const statuses = responses.map(({ status }) => status).join(', ');
console.log(`${statuses} after ${refreshes} refresh; the server saw ${seen.join(', ')}`);
server.close();
