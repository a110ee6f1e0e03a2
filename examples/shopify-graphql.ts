// The GraphQL Admin API of Shopify admits a query by its requested cost, and gives back what it has not used. ebb takes 10
// points for a query that it does not know, and after that what the same text was admitted by. Prints for three
// times the same query what it took, and what then was left of 2,000 points:
//   10, 1970
//   92, 1940
//   92, 1910
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPolicy, grantOf } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { shopify, shopifyLimits } from '@ebb/providers';

let currentlyAvailable = 2_000;
const double = createServer((_, response) => {
  currentlyAvailable -= 30;
  const throttleStatus = { maximumAvailable: 2_000, currentlyAvailable, restoreRate: 0.001 };
  const cost = { requestedQueryCost: 92, actualQueryCost: 30, throttleStatus };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ data: { orders: [] }, extensions: { cost } }));
});
await new Promise<void>((listening) => double.listen(0, listening));
const url = `http://localhost:${(double.address() as AddressInfo).port}/admin/api/2026-10/graphql.json`;

const limits = shopifyLimits({ pointsPerSecond: 0.001, maximumPoints: 2_000 });
const fetch = createFetch(createPolicy({ ...shopify(), ...limits }));
const body = JSON.stringify({
  query: '{ orders(first: 10) { nodes { id lineItems(first: 5) { nodes { id } } } } }',
});

for (let times = 3; times > 0; times -= 1) {
  const response = await fetch(url, { method: 'POST', body });
  await response.json();
  const taken = Object(grantOf(response)?.cost).points;
  console.log(`${taken}, ${Math.round(limits.bucket.stats().units?.points?.tokens ?? 0)}`);
}
double.close();
