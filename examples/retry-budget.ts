// A retry budget limits retries to a share of the successes, so that clients do not prolong an outage. Prints how many
// requests a failing server receives for a hundred calls with up to three retries each:
//   without a budget: 400
//   with one: 103
import { constant, createPolicy, perKey, retryBudget } from '@ebb/core';
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
const policy = createPolicy({ ...rules, budget: perKey(() => retryBudget()) });
console.log(`with one: ${await sendAll(createFetch(policy, down))}`);
