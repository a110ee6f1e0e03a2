// A server closes an event stream in the middle of an event. The reader gets each event once. Prints:
//   asked for what follows nothing
//   the body broke after 44 bytes: broken
//   asked for what follows 2
//   one, two, three, four
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPolicy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { resumable } from '@ebb/resume/fetch';

const events = ['one', 'two', 'three', 'four'].map((data, at) => `id: ${at + 1}\ndata: ${data}\n\n`);

const server = createServer((request, response) => {
  const lastId = request.headers['last-event-id'];
  console.log(`asked for what follows ${lastId ?? 'nothing'}`);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (lastId !== undefined) response.end(events.slice(Number(lastId)).join(''));
  else response.write(`retry: 10\n${events[0]}${events[1]}id: 3\nda`, () => response.socket?.end());
});
server.listen(0);
await once(server, 'listening');

const policy = createPolicy({
  onEvent(event) {
    if (event.type === 'resume')
      console.log(`the body broke after ${event.passedBytes} bytes: ${event.reason}`);
  },
});
const fetch = resumable(createFetch(policy), { policy, idleTimeoutMs: 60_000 });

const response = await fetch(`http://localhost:${(server.address() as AddressInfo).port}`);
const text = await response.text();
console.log([...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data).join(', '));
server.close();
