import { createOpenAI } from '@ai-sdk/openai';
import { openai } from '@ebb/providers';
import { generateText, streamText } from 'ai';
import { completion } from '../good.ts';
import type { Sdk } from '../sdk.ts';
import { completionStream, errorOf, openaiRows } from './openai.ts';

export const aiSdk: Sdk = {
  name: 'ai',
  presetName: 'openai()',
  preset: openai,
  client({ url, ebb, timeoutMs }) {
    const provider = createOpenAI({
      apiKey: 'key',
      baseURL: `${url}/v1`,
      ...(ebb === undefined ? {} : { fetch: ebb.fetch }),
    });
    const options = {
      model: provider.chat('gpt-5'),
      prompt: 'hi',
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
      ...(ebb === undefined ? {} : { maxRetries: 0 }),
    };
    return {
      send: (abortSignal) => generateText({ ...options, ...(abortSignal && { abortSignal }) }),
      async stream() {
        const { fullStream } = streamText({ ...options, onError: () => undefined });
        let text = '';
        for await (const part of fullStream) {
          if (part.type === 'error') throw part.error;
          if (part.type === 'text-delta') text += part.text;
        }
        if (text === '') throw new Error('an empty stream');
        return text;
      },
      async leave() {
        const { textStream } = streamText({ ...options, onError: () => undefined });
        for await (const _ of textStream) break;
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
