import axiosRetry from 'axios-retry';
import type { Rival } from '../rival.ts';

export default {
  wrap(bare, nth) {
    axiosRetry(bare, nth === undefined ? undefined : { retries: nth + 1 });
    return bare;
  },
  bundle: `export { default } from 'axios-retry'`,
} satisfies Rival<'axios'>;
