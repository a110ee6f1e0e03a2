import { cloudflare } from '@ebb/providers';
import Cloudflare from 'cloudflare';
import { ok, type Sdk } from '../sdk.ts';

const error = JSON.stringify({
  success: false,
  errors: [{ code: 1, message: 'no' }],
  messages: [],
  result: null,
});

export const cloudflareSdk: Sdk = {
  name: 'cloudflare',
  presetName: 'cloudflare()',
  preset: cloudflare,
  client({ url, ebb, timeoutMs }) {
    const client = new Cloudflare({
      apiToken: 'token',
      baseURL: url,
      logLevel: 'off',
      // Its timeout of a minute is over all of ebb's waits.
      ...(ebb === undefined ? {} : { fetch: ebb.fetch, maxRetries: 0, timeout: 600_000 }),
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
    });
    return {
      send: (signal) => client.zones.create({ account: { id: 'a' }, name: 'example.com' }, { signal }),
    };
  },
  error: () => error,
  good: ok({ success: true, errors: [], messages: [], result: { id: 'z' } }),
  verdictHeader: 'x-should-retry',
  hasTimeout: true,
  takesSignal: true,
  rows: [
    {
      name: '429, requests used up',
      answer: {
        status: 429,
        headers: { ratelimit: '"default";r=0;t=30', 'ratelimit-policy': '"default";q=1200;w=300' },
        body: error,
      },
      askedMs: 30_000,
      wanted: 'again',
    },
  ],
};
