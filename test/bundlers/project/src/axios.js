import { ebbInterceptor } from '@ebb/axios';
import { attemptsOf, constant } from '@ebb/core';
import axios from 'axios';

const client = axios.create();
client.interceptors.request.use(ebbInterceptor({ backoff: constant(0) }));

/** Sends a request. Returns a line for each attempt. */
export async function send(url) {
  const response = await client.get(url);
  return attemptsOf(response).map(({ attempt, status, reason }) => `axios ${attempt} ${status} ${reason}`);
}
