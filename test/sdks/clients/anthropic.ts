import Anthropic from '@anthropic-ai/sdk';
import { anthropic } from '@ebb/providers';
import { answeredMessage, message } from '../good.ts';
import { events, type Sdk } from '../sdk.ts';

const error = (type: string, more: object = {}): object => ({
  type: 'error',
  error: { type, message: 'no', ...more },
});

const named = (event: string, data: object): string =>
  `event: ${event}\ndata: ${JSON.stringify({ type: event, ...data })}`;

export const anthropicSdk: Sdk = {
  name: '@anthropic-ai/sdk',
  presetName: 'anthropic()',
  preset: anthropic,
  client({ url, ebb, timeoutMs }) {
    const client = new Anthropic({
      apiKey: 'key',
      baseURL: url,
      logLevel: 'off',
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
      ...(ebb === undefined ? {} : { fetch: ebb.fetch, maxRetries: 0 }),
    });
    const body = { model: 'claude', max_tokens: 16, messages: [{ role: 'user' as const, content: 'hi' }] };
    return {
      send: (signal) => client.messages.create(body, { signal }),
      async stream() {
        const seen: string[] = [];
        for await (const event of await client.messages.create({ ...body, stream: true }))
          seen.push(event.type);
        if (!seen.includes('message_start')) throw new Error('an empty stream');
        return seen;
      },
      async leave() {
        for await (const _ of await client.messages.create({ ...body, stream: true })) break;
      },
    };
  },
  error: (status) =>
    JSON.stringify(
      error(status === 529 ? 'overloaded_error' : status === 429 ? 'rate_limit_error' : 'api_error'),
    ),
  good: answeredMessage,
  goodStream: events(
    named('message_start', { message }),
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'hi' } }),
    named('content_block_stop', { index: 0 }),
    named('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }),
    named('message_stop', {}),
  ),
  verdictHeader: 'x-should-retry',
  hasTimeout: true,
  takesSignal: true,
  rows: [
    {
      name: '429, requests used up',
      answer: (nowMs) => ({
        status: 429,
        headers: {
          'anthropic-ratelimit-requests-limit': '50',
          'anthropic-ratelimit-requests-remaining': '0',
          'anthropic-ratelimit-requests-reset': new Date(nowMs + 60_000).toISOString(),
        },
        body: JSON.stringify(error('rate_limit_error')),
      }),
      // Until one of 50 is there again.
      askedMs: 1_200,
      wanted: 'again',
    },
    {
      name: '429, a spend limit',
      answer: {
        status: 429,
        body: JSON.stringify(
          error('rate_limit_error', { details: { error_code: 'enforced_spend_limit_reached' } }),
        ),
      },
      wanted: 'once',
    },
    {
      name: 'a stream that starts with an error',
      answer: events(named('ping', {}), `event: error\ndata: ${JSON.stringify(error('overloaded_error'))}`),
      wanted: 'again',
      isStream: true,
    },
  ],
};
