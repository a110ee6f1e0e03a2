import { createFetch, type EbbRequestInit, type FetchInput } from '@ebb/fetch';

const fetch = createFetch({ maxRetries: 1 });

// It takes the types of the DOM library.
export const input: FetchInput = '/x' as RequestInfo | URL;
export const init: EbbRequestInit = {} as RequestInit;
export const body: EbbRequestInit = { body: 'text' as BodyInit };
export const accepted: (() => Promise<Response>)[] = [
  () => fetch(input, init),
  () => fetch('/x', { keepalive: true, mode: 'cors', credentials: 'include', cache: 'no-store', ebb: false }),
];
export const refused: (() => unknown)[] = [
  // @ts-expect-error: not a mode
  () => fetch('/x', { mode: 'cros' }),
];
