import { type BodyFactory, type EbbInterceptor, ebbInterceptor } from '@ebb/axios';
import { createPolicy } from '@ebb/core';
import axios, { type AxiosInstance, type AxiosRequestConfig } from 'axios';

const client: AxiosInstance = axios.create();
const ebb: EbbInterceptor = ebbInterceptor(createPolicy({ maxRetries: 1 }));
export const id: number = client.interceptors.request.use(ebb, null, { synchronous: true });
axios.interceptors.request.use(ebbInterceptor({ maxRetries: 1 }));

const body: BodyFactory = () => 'text';
const config: AxiosRequestConfig = { ebb: { maxRetries: 0, cost: 2 } };

export const accepted: (() => Promise<unknown>)[] = [
  () => axios.get('/', { ebb: { maxRetries: 0 } }),
  () => axios.get('/', { ebb: false }),
  () => client.put('/', body, config),
  () => client.request({ url: '/', ebb: { methods: 'all' } }),
  () => client({ url: '/', ebb: { key: 'tenant' } }),
];

export const refused: (() => unknown)[] = [
  // @ts-expect-error: not an option
  () => axios.get('/', { ebb: { retries: 3 } }),
  // @ts-expect-error: a string for a number
  () => axios.get('/', { ebb: { maxRetries: '3' } }),
  // @ts-expect-error: `true` says nothing
  () => client.get('/', { ebb: true }),
  // @ts-expect-error: not an option
  () => ebbInterceptor({ retries: 3 }),
];
