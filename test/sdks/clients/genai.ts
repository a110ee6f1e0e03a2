import { google } from '@ebb/providers';
import { GoogleGenAI } from '@google/genai';
import { content, generated } from '../good.ts';
import { events, type Sdk } from '../sdk.ts';

const error = (code: number, status: string, details: object[] = []): string =>
  JSON.stringify({ error: { code, message: 'no', status, details } });

const exhausted = (quotaId: string, retryDelay: string): string =>
  error(429, 'RESOURCE_EXHAUSTED', [
    {
      '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
      violations: [{ quotaMetric: 'generativelanguage.googleapis.com/requests', quotaId, quotaValue: '10' }],
    },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
  ]);

const names: Record<number, string> = { 429: 'RESOURCE_EXHAUSTED', 503: 'UNAVAILABLE', 500: 'INTERNAL' };

export const genaiSdk: Sdk = {
  name: '@google/genai',
  presetName: 'google()',
  preset: google,
  client({ url, ebb, timeoutMs }) {
    const ai = new GoogleGenAI({
      apiKey: 'key',
      httpOptions: {
        baseUrl: url,
        ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
        ...(ebb === undefined ? { retryOptions: {} } : { fetch: ebb.fetch }),
      },
    });
    const request = { model: 'gemini', contents: 'hi' };
    return {
      send: (abortSignal) =>
        ai.models.generateContent({ ...request, ...(abortSignal && { config: { abortSignal } }) }),
      async stream() {
        let text = '';
        for await (const part of await ai.models.generateContentStream(request)) text += part.text ?? '';
        if (text === '') throw new Error('an empty stream');
        return text;
      },
      async leave() {
        for await (const _ of await ai.models.generateContentStream(request)) break;
      },
    };
  },
  error: (status) => error(status, names[status] ?? 'UNKNOWN'),
  good: generated,
  goodStream: events(`data: ${JSON.stringify(content)}`),
  hasTimeout: true,
  takesSignal: true,
  rows: [
    {
      name: '429, quota of a minute, `retryDelay: 27.4s`',
      answer: { status: 429, body: exhausted('GenerateRequestsPerMinutePerProjectPerModel', '27.4s') },
      askedMs: 27_400,
      wanted: 'again',
    },
    {
      name: '429, quota of a day',
      answer: { status: 429, body: exhausted('GenerateRequestsPerDayPerProjectPerModel', '19s') },
      wanted: 'once',
    },
    {
      name: 'a stream that starts with an error',
      answer: events(`data: ${error(503, 'UNAVAILABLE')}`),
      wanted: 'again',
      isStream: true,
    },
  ],
};
