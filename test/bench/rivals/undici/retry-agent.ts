import { type Dispatcher, RetryAgent, type RetryHandler } from 'undici';
import type { Dispatch, Rival } from '../rival.ts';

function around(dispatch: Dispatch, options?: RetryHandler.RetryOptions): Dispatch {
  const agent = new RetryAgent({ dispatch } as unknown as Dispatcher, options);
  return (request, handler) => agent.dispatch(request, handler);
}

export default {
  wrap: (bare, nth) => around(bare, nth === undefined ? undefined : { maxRetries: nth + 1 }),
  retrying: (bare, delayMs) => around(bare, { minTimeout: delayMs, timeoutFactor: 1 }),
} satisfies Rival<'undici'>;
