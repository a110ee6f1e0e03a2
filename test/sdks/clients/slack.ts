import { slack } from '@ebb/providers';
import { LogLevel, WebClient } from '@slack/web-api';
import { ok, type Sdk } from '../sdk.ts';

export const slackSdk: Sdk = {
  name: '@slack/web-api',
  presetName: 'slack()',
  preset: slack,
  client({ url, ebb, timeoutMs }) {
    const silent = (): void => undefined;
    const logger = {
      debug: silent,
      info: silent,
      warn: silent,
      error: silent,
      setLevel: silent,
      getLevel: () => LogLevel.ERROR,
      setName: silent,
    };
    const client = new WebClient('xoxb-1', {
      slackApiUrl: `${url}/api/`,
      logger,
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
      ...(ebb === undefined
        ? {}
        : { fetch: ebb.fetch, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true }),
    });
    return { send: () => client.chat.postMessage({ channel: 'C1', text: 'hi' }) };
  },
  error: (status) => JSON.stringify({ ok: false, error: status === 429 ? 'ratelimited' : 'internal_error' }),
  good: ok({ ok: true, ts: '1.2' }),
  hasTimeout: true,
  takesSignal: false,
  rows: [
    {
      name: '`ratelimited` in a 200, `Retry-After: 3`',
      answer: { ...ok({ ok: false, error: 'ratelimited' }), headers: { 'retry-after': '3' } },
      askedMs: 3_000,
      wanted: 'again',
    },
    {
      name: '`channel_not_found` in a 200',
      answer: ok({ ok: false, error: 'channel_not_found' }),
      wanted: 'once',
    },
  ],
};
