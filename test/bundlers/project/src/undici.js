import { attemptsOf, constant, tokenBucket } from '@ebb/core';
import { ebbInterceptor } from '@ebb/undici';
import { Agent, request } from 'undici';

const bucket = tokenBucket({ refillPerSecond: 1_000 });
const dispatcher = new Agent().compose(ebbInterceptor({ backoff: constant(0), bucket }));

/** Sends a request. Returns a line for each attempt. */
export async function send(url) {
  const { body, context } = await request(url, { dispatcher });
  await body.dump();
  await dispatcher.close();
  return attemptsOf(context).map(({ attempt, status, reason }) => `undici ${attempt} ${status} ${reason}`);
}
