import { stripe } from '@ebb/providers';
import Stripe from 'stripe';
import { ok, type Sdk } from '../sdk.ts';

const error = (type: string, more: object = {}): string =>
  JSON.stringify({ error: { type, message: 'no', ...more } });

export const stripeSdk: Sdk = {
  name: 'stripe',
  presetName: 'stripe()',
  preset: stripe,
  client({ url, ebb, timeoutMs }) {
    const { hostname, port } = new URL(url);
    const client = new Stripe('sk_test_1', {
      host: hostname,
      port,
      protocol: 'http',
      telemetry: false,
      // Its timeout of 80 s is over all of ebb's waits.
      ...(ebb === undefined
        ? {}
        : { httpClient: Stripe.createFetchHttpClient(ebb.fetch), maxNetworkRetries: 0, timeout: 600_000 }),
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
    });
    return { send: () => client.customers.create({ name: 'x' }) };
  },
  error: (status) => error(status === 429 ? 'rate_limit_error' : 'api_error'),
  good: ok({ id: 'cus_1', object: 'customer' }),
  verdictHeader: 'stripe-should-retry',
  hasTimeout: true,
  takesSignal: false,
  rows: [
    {
      name: '429, `stripe-rate-limited-reason`',
      answer: {
        status: 429,
        headers: { 'stripe-rate-limited-reason': 'global-rate' },
        body: error('rate_limit_error', { code: 'rate_limit' }),
      },
      wanted: 'again',
    },
  ],
};
