// A server that responds at once, in a process of its own. Prints its address.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '5' });
  response.end('hello');
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
process.once('disconnect', () => process.exit());
