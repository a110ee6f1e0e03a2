// A budget lets retries be a share of what goes well, so that an outage is not made worse by its clients. It
// prints how often a server that is down is asked by a hundred requests with three retries each:
//   without a budget: 400
//   with one: 103
import { budgetPerKey, constant, createPolicy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

let asked = 0;
const down = async () => {
  asked += 1;
  return new Response(null, { status: 503 });
};

async function sendAll(fetch: ReturnType<typeof createFetch>): Promise<number> {
  asked = 0;
  for (let time = 0; time < 100; time += 1) await fetch('http://upstream.test/');
  return asked;
}

const rules = { maxRetries: 3, backoff: constant(0) };
console.log(`without a budget: ${await sendAll(createFetch(rules, down))}`);
const policy = createPolicy({ ...rules, budget: budgetPerKey() });
console.log(`with one: ${await sendAll(createFetch(policy, down))}`);
