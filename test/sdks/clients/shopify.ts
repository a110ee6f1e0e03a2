import { shopify } from '@ebb/providers';
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
    const send = async (document: string, signal?: AbortSignal): Promise<unknown> => {
      const { data, errors } = await client.request(document, { ...(signal && { signal }) });
      // They do not reject.
      if (errors !== undefined) throw Object.assign(new Error(errors.message), { name: 'errors' });
      return data;
    };
    return {
      send: (signal) => send('mutation { tagsAdd(id: "1", tags: []) { node { id } } }', signal),
      stream: () => send('query { shop { name } }'),
    };
  },
  error: () => JSON.stringify({ errors: 'no' }),
  good: ok({ data: { tagsAdd: { node: { id: '1' } } }, extensions: cost(1990) }),
  goodStream: ok({ data: { shop: { name: 'x' } }, extensions: cost(1990) }),
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
    { name: '503 to a query', answer: { status: 503, body: 'no' }, wanted: 'again', isStream: true },
    { name: 'a reset of a query', answer: 'reset', wanted: 'again', isStream: true },
  ],
};
