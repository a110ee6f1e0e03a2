import { interceptors } from 'undici';
import type { Dispatch, Rival } from '../rival.ts';

export default {
  wrap: (bare) => interceptors.retry()(bare as never) as Dispatch,
  retrying: (bare, delayMs) =>
    interceptors.retry({ minTimeout: delayMs, timeoutFactor: 1 })(bare as never) as Dispatch,
} satisfies Rival<'undici'>;
