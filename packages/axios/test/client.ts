import { attemptsOf, constant, type PolicyOptions } from '@ebb/core';
import axios, { type AxiosError, type AxiosInstance, type AxiosRequestConfig } from 'axios';
import { expect } from 'vitest';
import { ebbInterceptor } from '../src/index.ts';

/** Retries without delay. */
export const atOnce: PolicyOptions = { backoff: constant(0) };

/** An axios instance with ebb. */
export function clientOf(
  config: AxiosRequestConfig,
  options: Parameters<typeof ebbInterceptor>[0] = atOnce,
): AxiosInstance {
  const client = axios.create(config as object);
  client.interceptors.request.use(ebbInterceptor(options));
  return client;
}

/** The error that a promise rejects with; fails the test if it resolves. */
export async function errorOf(promise: Promise<unknown>): Promise<AxiosError> {
  return promise.then(
    () => expect.fail('did not reject'),
    (error) => error,
  );
}

/** The status or the failure kind of each attempt. */
export function kindsOf(result: unknown): (number | string | undefined)[] {
  return attemptsOf(result).map(({ status, failure }) => status ?? failure);
}

/** The reason of each attempt. */
export function reasonsOf(result: unknown): string[] {
  return attemptsOf(result).map(({ reason }) => reason);
}
