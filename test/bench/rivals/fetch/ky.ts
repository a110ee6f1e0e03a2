import ky from 'ky';
import type { Rival } from '../rival.ts';

export default {
  needs: 'response',
  wrap: (bare) => ky.create({ fetch: bare as typeof fetch }),
  retrying: (bare, delayMs) =>
    ky.create({
      fetch: bare as typeof fetch,
      retry: { limit: 5, statusCodes: [503], delay: () => delayMs },
    }),
  bundle: `export { default } from 'ky'`,
} satisfies Rival<'fetch'>;
