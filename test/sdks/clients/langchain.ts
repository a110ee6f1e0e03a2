import { openai } from '@ebb/providers';
import { ChatOpenAI } from '@langchain/openai';
import { completion } from '../good.ts';
import type { Sdk } from '../sdk.ts';
import { completionStream, errorOf, openaiRows } from './openai.ts';

export const langchainSdk: Sdk = {
  name: '@langchain/openai',
  presetName: 'openai()',
  preset: openai,
  client({ url, ebb, timeoutMs }) {
    const model = new ChatOpenAI({
      apiKey: 'key',
      model: 'gpt-5',
      useResponsesApi: false,
      configuration: { baseURL: `${url}/v1`, ...(ebb === undefined ? {} : { fetch: ebb.fetch }) },
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
      ...(ebb === undefined ? {} : { maxRetries: 0 }),
    });
    return {
      send: (signal) => model.invoke('hi', { ...(signal && { signal }) }),
      async stream() {
        let text = '';
        for await (const part of await model.stream('hi')) text += part.text;
        if (text === '') throw new Error('an empty stream');
        return text;
      },
      async leave() {
        for await (const _ of await model.stream('hi')) break;
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
