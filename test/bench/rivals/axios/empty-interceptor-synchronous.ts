import type { Rival } from '../rival.ts';

export default {
  wrap(bare) {
    bare.interceptors.request.use((config) => config, null, { synchronous: true });
    return bare;
  },
} satisfies Rival<'axios'>;
