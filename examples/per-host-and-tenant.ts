// Two limits on one request: a rate for each tenant, and one for each host. A policy has one bucket, so each limit is a
// layer. The outer layer retries, and waits first: a tenant over its rate takes no tokens of a host. Prints how many of 40
// requests are sent within a second:
//   1 tenant, 1 host: 5
//   4 tenants, 1 host: 15
//   4 tenants, 2 hosts: 20
import { perKey, tokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';

async function sentInASecond(tenants: number, hosts: number): Promise<number> {
  const clock = virtualClock();
  let sent = 0;
  const upstream = async () => {
    sent += 1;
    return new Response('ok');
  };
  const hostLimit = () => tokenBucket({ refillPerSecond: 11, capacity: 4, clock });
  const perHost = createFetch({ clock, bucket: perKey(hostLimit, { clock }) }, upstream);

  const tenantLimit = () => tokenBucket({ refillPerSecond: 4, capacity: 1, clock });
  const perTenant = perKey(tenantLimit, {
    keyOf: (request) => request.header('x-tenant') ?? 'none',
    clock,
  });
  const fetch = createFetch({ clock, bucket: perTenant }, perHost);

  for (let n = 0; n < 40; n += 1) {
    const headers = { 'x-tenant': `${n % tenants}` };
    void fetch(`http://host-${Math.floor(n / tenants) % hosts}.test/`, { headers });
  }
  await clock.advance(1_000);
  return sent;
}

console.log(`1 tenant, 1 host: ${await sentInASecond(1, 1)}`);
console.log(`4 tenants, 1 host: ${await sentInASecond(4, 1)}`);
console.log(`4 tenants, 2 hosts: ${await sentInASecond(4, 2)}`);
