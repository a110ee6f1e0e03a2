import pRetry from 'p-retry';
import type { Rival } from '../rival.ts';

export default {
  wrap: (bare) => (url) => pRetry(() => bare(url)),
  retrying: (bare, delayMs) => (url) => {
    // It retries what throws: its users throw for a status.
    const send = async (): Promise<Response> => {
      const response = await bare(url);
      if (response.status === 503) throw new Error(response.statusText);
      return response;
    };
    return pRetry(send, { retries: 5, minTimeout: delayMs, factor: 1 });
  },
  bundle: `export { default } from 'p-retry'`,
} satisfies Rival<'fetch'>;
