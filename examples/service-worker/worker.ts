// A service worker that retries requests of its pages to /api/. Bundle it into one file, and register that: see page.ts.
import { createPolicy, equalJitter } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

/** The parts of a service worker that the types of a page lack. */
interface LifeEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends LifeEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
interface ServiceWorkerScope {
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: LifeEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
}
const scope = globalThis as unknown as ServiceWorkerScope;

const policy = createPolicy({
  maxRetries: 3,
  backoff: equalJitter({ baseMs: 200, capMs: 5_000 }),
  // A browser ends a service worker whose events take minutes, and the request with it.
  totalTimeoutMs: 60_000,
});
const fetch = createFetch(policy);

scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()));
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()));
scope.addEventListener('fetch', (event) => {
  // Without `respondWith` the browser sends the request: the page itself, its images, other origins.
  const { origin, pathname } = new URL(event.request.url);
  if (origin === location.origin && pathname.startsWith('/api/')) event.respondWith(fetch(event.request));
});
