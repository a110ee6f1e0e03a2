import type { Rival } from '../rival.ts';

export default {
  wrap(bare) {
    bare.interceptors.request.use((config) => config);
    return bare;
  },
} satisfies Rival<'axios'>;
