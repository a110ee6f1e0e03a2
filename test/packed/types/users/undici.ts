import { createPolicy } from '@ebb/core';
import { type BodyFactory, ebbInterceptor } from '@ebb/undici';
import { policy } from '@ebb/undici/register';
import { Agent, type Dispatcher, request, setGlobalDispatcher, stream } from 'undici';

const interceptor: Dispatcher.DispatcherComposeInterceptor = ebbInterceptor(createPolicy({ maxRetries: 1 }));
const dispatcher: Dispatcher = new Agent().compose(ebbInterceptor(), interceptor);
setGlobalDispatcher(dispatcher);

const url = 'http://upstream.test/';
const body: BodyFactory = async () => 'text';

export const accepted: (() => unknown)[] = [
  () => request(url, { dispatcher, ebb: { maxRetries: 0, cost: 2 } }),
  () => request(url, { ebb: false }),
  () => request(url, { method: 'PUT', body }),
  () => stream(url, { method: 'PUT', body }, () => process.stdout),
  () => dispatcher.request({ origin: url, path: '/', method: 'GET', ebb: false }),
  () => dispatcher.dispatch({ origin: url, path: '/', method: 'GET', ebb: { cost: 2 } }, {}),
  () => ebbInterceptor(createPolicy({ ...policy, maxRetries: 1 })),
];

export const refused: (() => unknown)[] = [
  // @ts-expect-error: not an option
  () => request(url, { ebb: { retries: 3 } }),
  // @ts-expect-error: a string for a number
  () => request(url, { ebb: { maxRetries: '3' } }),
  // @ts-expect-error: `true` says nothing
  () => request(url, { ebb: true }),
  // @ts-expect-error: not a body
  () => request(url, { method: 'PUT', body: () => 12345 }),
  // @ts-expect-error: not an option
  () => ebbInterceptor({ retries: 3 }),
  // @ts-expect-error: undefined with EBB=off
  () => policy.maxRetries,
];
