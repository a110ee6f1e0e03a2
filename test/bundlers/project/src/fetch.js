import { attemptsOf, constant } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

const fetch = createFetch({ backoff: constant(0) });

/** Sends a request. Returns a line for each attempt. */
export async function send(url) {
  const response = await fetch(url);
  return attemptsOf(response).map(({ attempt, status, reason }) => `fetch ${attempt} ${status} ${reason}`);
}
