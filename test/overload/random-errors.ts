import { percentOf, quantile, run, sendsPerRequest } from './world.ts';
import { type Make, type Numbers, REQUESTS, SERVICE_MS } from './worlds.ts';

/** The shares of the answers that are a 503. */
const SHARES = [0.01, 0.05, 0.1, 0.2, 0.5];

/** A service at a quarter of its capacity that fails at random for two minutes: here a retry costs nothing and helps. */
async function failing(share: number, clients: number, policy: Make): Promise<Numbers> {
  const result = await run({
    clients,
    requestsPerSecond: REQUESTS,
    durationMs: 180_000,
    untilMs: 120_000,
    server: {
      workers: (4 * REQUESTS * SERVICE_MS) / 1_000,
      serviceMs: SERVICE_MS,
      troubles: [{ type: 'errors', share, fromMs: 0, untilMs: 180_000 }],
    },
    policy,
  });
  return { overall: percentOf(result), sends: sendsPerRequest(result), p99: quantile(result, 0.99) };
}

/** By their names: what a policy makes of each. */
export const RANDOM_ERRORS: Readonly<Record<string, (policy: Make) => Promise<Numbers>>> = Object.fromEntries(
  SHARES.flatMap((share) =>
    [12, 2_500].map((clients) => [
      `${share * 100} % of 503, ${clients.toLocaleString('en')} clients`,
      (policy: Make) => failing(share, clients, policy),
    ]),
  ),
);
