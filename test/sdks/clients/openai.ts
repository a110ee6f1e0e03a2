import { openai } from '@ebb/providers';
import OpenAI from 'openai';
import { completion } from '../good.ts';
import { events, type Row, type Sdk } from '../sdk.ts';

const chunk = (content: string): string =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }] })}`;

export const completionStream = events(chunk('hi'), 'data: [DONE]');

export const errorOf = (status: number): string =>
  JSON.stringify({
    error: { message: 'no', type: status === 429 ? 'requests' : 'server_error', param: null, code: null },
  });

const quota = {
  message: 'You exceeded your current quota.',
  type: 'insufficient_quota',
  code: 'insufficient_quota',
};
const streamError = { message: 'Rate limit reached', type: 'tokens', code: 'rate_limit_exceeded' };

/** Answers of OpenAI's API. */
export const openaiRows: readonly Row[] = [
  {
    name: '429, requests used up',
    answer: {
      status: 429,
      headers: {
        'x-ratelimit-limit-requests': '60',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '1m0s',
      },
      body: errorOf(429),
    },
    askedMs: 1_000,
    wanted: 'again',
  },
  {
    name: '429, `insufficient_quota`',
    answer: { status: 429, body: JSON.stringify({ error: quota }) },
    wanted: 'once',
  },
  {
    name: 'a stream that starts with an error',
    answer: events(`data: ${JSON.stringify({ error: streamError })}`),
    wanted: 'again',
    isStream: true,
  },
];

export const openaiSdk: Sdk = {
  name: 'openai',
  presetName: 'openai()',
  preset: openai,
  client({ url, ebb, timeoutMs }) {
    const client = new OpenAI({
      apiKey: 'key',
      baseURL: `${url}/v1`,
      logLevel: 'off',
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
      ...(ebb === undefined ? {} : { fetch: ebb.fetch, maxRetries: 0 }),
    });
    const body = { model: 'gpt-5', messages: [{ role: 'user' as const, content: 'hi' }] };
    return {
      send: (signal) => client.chat.completions.create(body, { signal }),
      async stream() {
        let text = '';
        for await (const part of await client.chat.completions.create({ ...body, stream: true })) {
          text += part.choices[0]?.delta.content ?? '';
        }
        if (text === '') throw new Error('an empty stream');
        return text;
      },
      async leave() {
        for await (const _ of await client.chat.completions.create({ ...body, stream: true })) break;
      },
    };
  },
  error: errorOf,
  good: completion,
  goodStream: completionStream,
  verdictHeader: 'x-should-retry',
  hasTimeout: true,
  takesSignal: true,
  rows: openaiRows,
};
