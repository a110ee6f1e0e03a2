import { attemptsOf, constant, tokenBucket } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

export const dynamic = 'force-dynamic';

const fetch = createFetch({ backoff: constant(0), bucket: tokenBucket({ refillPerSecond: 1_000 }) });

export async function GET() {
  const response = await fetch(process.env.UPSTREAM_URL);
  const lines = attemptsOf(response).map(
    ({ attempt, status, reason }) => `fetch ${attempt} ${status} ${reason}\n`,
  );
  return new Response(lines.join(''));
}
