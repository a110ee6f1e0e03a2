import axiosRetry from 'axios-retry';
import type { Rival } from '../rival.ts';

export default {
  wrap(bare) {
    axiosRetry(bare);
    return bare;
  },
} satisfies Rival<'axios'>;
