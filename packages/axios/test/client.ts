import { constant, type PolicyOptions } from '@ebb/core';
import axios, { type AxiosError, type AxiosInstance, type AxiosRequestConfig } from 'axios';
import { expect } from 'vitest';
import { ebbInterceptor } from '../src/index.ts';

/** A policy whose retries wait for nothing. */
export const atOnce: PolicyOptions = { backoff: constant(0) };

/** An instance of axios with a policy in it. */
export function clientOf(
  config: AxiosRequestConfig,
  options: Parameters<typeof ebbInterceptor>[0] = atOnce,
): AxiosInstance {
  const client = axios.create(config as object);
  client.interceptors.request.use(ebbInterceptor(options));
  return client;
}

/** What a promise rejects with, which it has to. */
export async function errorOf(promise: Promise<unknown>): Promise<AxiosError> {
  return promise.then(
    () => expect.fail('did not reject'),
    (error) => error,
  );
}
