import pThrottle from 'p-throttle';
import type { Rival } from '../rival.ts';

export default {
  wrap: (bare) => pThrottle({ limit: 1e9, interval: 1_000 })(bare),
  bundle: `export { default } from 'p-throttle'`,
} satisfies Rival<'fetch'>;
