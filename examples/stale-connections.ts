// A server closes kept-alive connections at random: one in ten with the next request unread, one in ten after it has carried a request
// out. Prints how many of 500 POSTs are lost unread and lost though done, and how many are done twice (after an unread one):
//   no plugin: 47 and 52 lost, 0 twice (0); over undici: 47 and 52 lost, 0 twice (0)
//   plugin: 47 and 52 lost, 0 twice (0); over undici: 47 and 52 lost, 0 twice (0)
//   plugin and keys: 0 and 8 lost, 0 twice (0); over undici: 0 and 8 lost, 0 twice (0)
//   evenIfWritten: 0 and 8 lost, 51 twice (0); over undici: 0 and 8 lost, 51 twice (0)
import { Agent as HttpAgent } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { ebbInterceptor as axiosInterceptor } from '@ebb/axios';
import type { PolicyOptions } from '@ebb/core';
import { replayOnStaleConnection } from '@ebb/core/stale-connections';
import { seededRandom } from '@ebb/core/testing';
import { ebbInterceptor as undiciInterceptor } from '@ebb/undici';
import axios from 'axios';
import { Agent } from 'undici';

const dice = Array.from({ length: 500 }, seededRandom(1));
/** How often the server has done each request. It does none twice with one key. */
const done: number[] = [];
const keys = new Set<string>();

const server = createServer((socket) => {
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes;
    if (!text.endsWith('order')) return;
    const id = Number(/\d+/.exec(text));
    const key = /^idempotency-key: (.*)$/im.exec(text)?.[1];
    const fate = done[id] ? 1 : (dice[id] ?? 1);
    if (!key || !keys.has(key)) done[id] = (done[id] ?? 0) + 1;
    if (key) keys.add(key);
    text = '';
    if (fate < 0.1) return void socket.destroy();
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    if (fate < 0.2) setTimeout(() => socket.destroy(), 20, socket.pause());
  });
}).unref();
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function play(name: string, policy: PolicyOptions): Promise<void> {
  const client = axios.create({
    baseURL: origin,
    httpAgent: new HttpAgent({ keepAlive: true, maxSockets: 1 }),
  });
  client.interceptors.request.use(axiosInterceptor(policy));
  const overAxios = await count((path) => client.post(path, 'order'));
  const agent = new Agent({ connections: 1 }).compose(undiciInterceptor(policy));
  const post = { origin, method: 'POST', body: 'order' } as const;
  const overUndici = await count(async (path) => (await agent.request({ ...post, path })).body.dump());
  console.log(`${name}: ${overAxios}; over undici: ${overUndici}`);
}

async function count(send: (path: string) => Promise<unknown>): Promise<string> {
  done.length = 0;
  const lost: number[] = [];
  for (const id of dice.keys()) await send(`/${id}`).catch(() => lost.push(id));
  const unread = lost.filter((id) => !done[id]).length;
  const twice = [...dice.entries()].filter(([id]) => (done[id] ?? 0) > 1);
  const afterUnread = twice.filter(([, fate]) => fate >= 0.1).length;
  return `${unread} and ${lost.length - unread} lost, ${twice.length} twice (${afterUnread})`;
}

const plugins = [replayOnStaleConnection()];
await play('no plugin', {});
await play('plugin', { plugins });
await play('plugin and keys', { plugins, idempotencyKey: true, maxRetries: 0 });
await play('evenIfWritten', { plugins: [replayOnStaleConnection({ evenIfWritten: true })] });
process.exit();
