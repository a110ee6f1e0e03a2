// Tenants share an account at Anthropic. Six requests of a wait before b sends one: it waits for one of them, not for six.
// Of its bound a request reserves a tenth at first, and later what answers have used. Prints whose requests were sent in turn,
// and what the first and a later request have reserved:
//   a b a a a a a
//   100 and 50 output tokens
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fairQueue, grantOf, type RequestTraits, type WrapAttempt } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { anthropic, anthropicLimits } from '@ebb/providers';

const double = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write('event: message_start\ndata: {"message":{"usage":{"input_tokens":9}}}\n\n');
  response.end('event: message_delta\ndata: {"usage":{"output_tokens":50}}\n\n');
});
await new Promise<void>((listening) => double.listen(0, listening));
const url = `http://localhost:${(double.address() as AddressInfo).port}/v1/messages`;

const limits = anthropicLimits({
  ...{ requestsPerMinute: 1_000, inputTokensPerMinute: 100_000, outputTokensPerMinute: 15_000 },
  queue: fairQueue(),
});
// As if others had just used what there was.
limits.bucket.atMost({ outputTokens: 0 });
const sent: string[] = [];
const fairKey = (request: RequestTraits) => request.header('x-tenant') ?? '';
const wrapAttempt: WrapAttempt = (send, { request }) => {
  sent.push(fairKey(request));
  return send();
};
const fetch = createFetch({ ...anthropic(), ...limits, fairKey, wrapAttempt });

async function ask(tenant: string): Promise<number> {
  const body = JSON.stringify({ model: 'claude', max_tokens: 1_000, messages: [] });
  const response = await fetch(url, { method: 'POST', body, headers: { 'x-tenant': tenant } });
  await response.text();
  return Object(grantOf(response)?.cost).outputTokens;
}
const [first] = await Promise.all(['a', 'a', 'a', 'a', 'a', 'a', 'b'].map(ask));
console.log(sent.join(' '));
// It learns when as many answers have ended as began together.
await ask('a');
console.log(`${first} and ${await ask('b')} output tokens`);
double.close();
