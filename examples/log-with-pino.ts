// Each retry and each end is a line in the log of pino. An event has no query, header or error message, which may hold
// secrets, so all of it may be logged. Prints:
//   {"level":40,"method":"GET","path":"/tea","attempt":1,"status":503,"reason":"transient","delayMs":50,"msg":"retry"}
//   {"level":40,"method":"GET","path":"/tea","attempt":2,"status":503,"reason":"transient","delayMs":50,"msg":"retry"}
//   {"level":30,"method":"GET","path":"/tea","attempt":3,"status":200,"reason":"success","msg":"end"}
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constant, type EbbEvent } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { pino } from 'pino';

let requests = 0;
const server = createServer((_, response) => {
  requests += 1;
  response.writeHead(requests < 3 ? 503 : 200).end();
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tea?key=secret`;

const log = pino({ base: null, timestamp: false });

function logEvent(event: EbbEvent): void {
  if (event.type !== 'retry' && event.type !== 'end') return;
  const { request, attempt, outcome, reason } = event;
  const result = outcome?.type === 'response' ? { status: outcome.status } : { failure: outcome?.code };
  const line = { method: request.method, path: new URL(request.url).pathname, attempt, ...result, reason };
  if (event.type === 'retry') log.warn({ ...line, delayMs: event.delayMs }, 'retry');
  else if (reason === 'success') log.info(line, 'end');
  else log.error({ ...line, error: event.error }, 'end');
}

const fetch = createFetch({ backoff: constant(50), onEvent: logEvent });
await fetch(url);
server.close();
