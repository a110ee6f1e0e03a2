import axiosRetry from 'axios-retry';
import type { Rival } from '../rival.ts';

export default {
  wrap(bare) {
    axiosRetry(bare);
    return bare;
  },
  bundle: `export { default } from 'axios-retry'`,
} satisfies Rival<'axios'>;
