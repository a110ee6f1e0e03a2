// A function on AWS Lambda. What stands outside of the handler lives as long as its process, over many invocations.
import { createPolicy, equalJitter } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { valkeyBudget } from '@ebb/valkey';
import { Redis } from 'iovalkey';

const { UPSTREAM_URL = 'https://api.example.com', VALKEY_URL = 'redis://localhost' } = process.env;

const client = new Redis(VALKEY_URL);
client.on('error', () => undefined); // Without the store the budget goes on alone, with a tenth of a retry.

// Each process makes few requests, and there are thousands of processes: reserves of their own would add up. Between two
// invocations a process is frozen, and so are its timers. A lease shorter than a request is returned before that.
const budget = valkeyBudget({ client, key: 'upstream', reserve: 10, lease: { aheadMs: 20 } });

const policy = createPolicy({
  budget,
  maxRetries: 4,
  attemptTimeoutMs: 3_000,
  backoff: equalJitter({ baseMs: 100, capMs: 2_000 }),
});
const fetch = createFetch(policy);

/** For what comes after the request: its result has to be returned before Lambda ends the process. */
const SPARE_MS = 500;

/** The part of Lambda's context that this function uses. */
interface Context {
  getRemainingTimeInMillis(): number;
}

export async function handler(
  event: { readonly path: string },
  context: Context,
): Promise<{ statusCode: number; body: string }> {
  const leftMs = Math.max(1, context.getRemainingTimeInMillis() - SPARE_MS);
  try {
    // No attempt starts after `totalTimeoutMs`, and no wait that would end later begins. The signal also ends an attempt
    // and the reading of its body. All of it is awaited: what is left running would be frozen, and thaw later.
    const signal = AbortSignal.timeout(leftMs);
    const response = await fetch(UPSTREAM_URL + event.path, { signal, ebb: { totalTimeoutMs: leftMs } });
    return { statusCode: response.status, body: await response.text() };
  } catch (error) {
    return { statusCode: 504, body: String(error) };
  }
}
