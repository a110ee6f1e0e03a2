import { createReadStream } from 'node:fs';
import { createPolicy } from '@ebb/core';
import { Agent, type Dispatcher, pipeline, request, stream } from 'undici';
import { type BodyFactory, ebbInterceptor } from './index.ts';

const interceptor: Dispatcher.DispatcherComposeInterceptor = ebbInterceptor();
const dispatcher: Dispatcher = new Agent().compose(ebbInterceptor(createPolicy()), interceptor);
ebbInterceptor({ maxRetries: 1 });
// @ts-expect-error: not an option
ebbInterceptor({ retries: 1 });

const url = 'http://upstream.test/';
const body: BodyFactory = () => createReadStream('file');
const sink: Dispatcher.StreamFactory = () => process.stdout;

export const accepted: (() => unknown)[] = [
  () => request(url, { dispatcher, ebb: { maxRetries: 0 } }),
  () => request(url, { dispatcher, ebb: false }),
  () => request(url, { dispatcher, method: 'PUT', body }),
  () => request(url, { dispatcher, method: 'PUT', body: async () => createReadStream('file'), ebb: false }),
  () => request(url, { dispatcher, method: 'PUT', body: 'text' }),
  () => stream(url, { dispatcher, method: 'PUT', body }, sink),
  () => stream(url, { dispatcher, method: 'GET', ebb: false }, sink),
  () => pipeline(url, { dispatcher, method: 'GET', ebb: false }, ({ body: response }) => response),
  () => dispatcher.request({ origin: url, path: '/', method: 'GET', ebb: false }),
  () => dispatcher.request({ origin: url, path: '/', method: 'PUT', body }),
  () => dispatcher.stream({ origin: url, path: '/', method: 'PUT', body }, sink),
  () => dispatcher.connect({ origin: url, path: '/', ebb: false }),
  () => dispatcher.upgrade({ path: '/', ebb: { maxRetries: 1 } }),
  () => dispatcher.dispatch({ origin: url, path: '/', method: 'GET', ebb: { cost: 2 } }, {}),
];

export const refused: (() => unknown)[] = [
  // @ts-expect-error: not an option
  () => request(url, { ebb: { retries: 1 } }),
  // @ts-expect-error: `true` says nothing
  () => request(url, { ebb: true }),
  // @ts-expect-error: not a body
  () => request(url, { method: 'PUT', body: () => 1 }),
];
