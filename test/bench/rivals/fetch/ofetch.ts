import { createFetch } from 'ofetch';
import type { Fetch, Rival } from '../rival.ts';

/** The caller reads the body, as with the other libraries. */
const unread = { responseType: 'stream' } as const;

export default {
  needs: 'response',
  wrap(bare) {
    const ofetch = createFetch({ fetch: bare as typeof fetch, defaults: unread });
    return ofetch.raw as Fetch;
  },
  retrying(bare, retryDelay) {
    const defaults = { ...unread, retry: 5, retryDelay, retryStatusCodes: [503] };
    return createFetch({ fetch: bare as typeof fetch, defaults }).raw as Fetch;
  },
  bundle: `export { ofetch } from 'ofetch'`,
} satisfies Rival<'fetch'>;
