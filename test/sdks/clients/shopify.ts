import { shopify } from '@ebb/core/presets';
import { createGraphQLClient } from '@shopify/graphql-client';
import { ok, type Sdk } from '../sdk.ts';

const cost = (currentlyAvailable: number): object => ({
  cost: {
    requestedQueryCost: 252,
    actualQueryCost: null,
    throttleStatus: { maximumAvailable: 2000, currentlyAvailable, restoreRate: 100 },
  },
});

const graphqlError = (code: string): object => ({ message: code, extensions: { code } });

export const shopifySdk: Sdk = {
  name: '@shopify/graphql-client',
  presetName: 'shopify()',
  preset: shopify,
  client({ url, ebb }) {
    const client = createGraphQLClient({
      url: `${url}/admin/api/2026-10/graphql.json`,
      headers: { 'Content-Type': 'application/json' },
      ...(ebb === undefined ? { retries: 3 } : { customFetchApi: ebb.fetch, retries: 0 }),
    });
    return {
      async send(signal) {
        const { data, errors } = await client.request(
          'mutation { tagsAdd(id: "1", tags: []) { node { id } } }',
          { ...(signal && { signal }) },
        );
        // They do not reject.
        if (errors !== undefined) throw Object.assign(new Error(errors.message), { name: 'errors' });
        return data;
      },
    };
  },
  error: () => JSON.stringify({ errors: 'no' }),
  good: ok({ data: { tagsAdd: { node: { id: '1' } } }, extensions: cost(1990) }),
  hasTimeout: false,
  takesSignal: true,
  rows: [
    {
      name: '`THROTTLED` in a 200',
      answer: ok({ errors: [graphqlError('THROTTLED')], extensions: cost(52) }),
      askedMs: 2_000,
      wanted: 'again',
    },
    {
      name: '`MAX_COST_EXCEEDED` in a 200',
      answer: ok({ errors: [graphqlError('MAX_COST_EXCEEDED')] }),
      wanted: 'once',
    },
  ],
};
