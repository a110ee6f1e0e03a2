import fetchRetry from 'fetch-retry';
import type { Rival } from '../rival.ts';

export default {
  wrap: (bare, nth) => fetchRetry(bare as typeof fetch, nth === undefined ? undefined : { retries: nth + 1 }),
  retrying: (bare, retryDelay) =>
    fetchRetry(bare as typeof fetch, { retries: 5, retryDelay, retryOn: [503] }),
  bundle: `export { default } from 'fetch-retry'`,
} satisfies Rival<'fetch'>;
