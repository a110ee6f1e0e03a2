// GitHub counts the points of a query per hour, which its answer tells, and a point per minute for a query, five for a
// mutation. Prints what is left of both after a query, after the same again, and after a mutation:
//   hour 4988, minute 199
//   hour 4976, minute 198
//   hour 4975, minute 193
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPolicy } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { github, githubLimits } from '@ebb/providers';

let remaining = 5_000;
const double = createServer(async (request, response) => {
  const text = (await request.setEncoding('utf8').toArray()).join('');
  const cost = text.includes('mutation') ? 1 : 12;
  remaining -= cost;
  const fields = { 'x-ratelimit-remaining': String(remaining), 'x-ratelimit-resource': 'graphql' };
  response.writeHead(200, { 'content-type': 'application/json', ...fields });
  response.end(JSON.stringify({ data: { rateLimit: { cost } } }));
});
await new Promise<void>((listening) => double.listen(0, listening));
const url = `http://localhost:${(double.address() as AddressInfo).port}/graphql`;

// A clock that stands still: nothing refills between two lines.
const clock = virtualClock();
const limits = githubLimits({ pointsPerHour: 5_000, pointsPerMinute: 2_000, clock });
const fetch = createFetch(createPolicy({ ...github(), ...limits, clock }));

const issues = '{ viewer { issues(first: 100) { nodes { id } } } rateLimit { cost } }';
for (const query of [issues, issues, 'mutation { addStar(input: {}) { clientMutationId } }']) {
  await (await fetch(url, { method: 'POST', body: JSON.stringify({ query }) })).json();
  const { hour, minute } = limits.bucket.stats().units ?? {};
  console.log(`hour ${hour?.tokens}, minute ${minute?.tokens}`);
}
double.close();
