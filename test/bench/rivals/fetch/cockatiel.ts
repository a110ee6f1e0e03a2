import { ConstantBackoff, ExponentialBackoff, handleAll, handleWhenResult, retry } from 'cockatiel';
import type { Rival } from '../rival.ts';

export default {
  wrap(bare) {
    const policy = retry(handleAll, { maxAttempts: 5, backoff: new ExponentialBackoff() });
    return (url) => policy.execute(() => bare(url));
  },
  retrying(bare, delayMs) {
    const down = handleWhenResult((result) => (result as Response).status === 503);
    const policy = retry(down, { maxAttempts: 5, backoff: new ConstantBackoff(delayMs) });
    return (url) => policy.execute(() => bare(url));
  },
  bundle: `export { ExponentialBackoff, handleAll, retry } from 'cockatiel'`,
} satisfies Rival<'fetch'>;
