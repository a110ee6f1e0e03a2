// The SDK of OpenAI over ebb's fetch. The server reserves `max_completion_tokens` of 600,000 tokens a minute; so does ebb
// with 5 % less, and the last of 58 requests waits instead of being refused. Prints what the server has seen:
//   58 answered, 0 refused, the last after 1 s
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPolicy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { openai, openaiLimits } from '@ebb/providers';
import OpenAI from 'openai';

let [refused, tokens, atMs] = [0, 600_000, performance.now()];
const double = createServer(async (request, response) => {
  const body = JSON.parse((await request.setEncoding('utf8').toArray()).join(''));
  const nowMs = performance.now();
  tokens = Math.min(600_000, tokens + (nowMs - atMs) * 10) - body.max_completion_tokens;
  atMs = nowMs;
  if (tokens < 0) {
    refused += 1;
    tokens += body.max_completion_tokens;
  }
  response.writeHead(tokens < 0 ? 429 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ choices: [], usage: { completion_tokens: 5 } }));
});
await new Promise<void>((listening) => double.listen(0, listening));

const limits = openaiLimits({ requestsPerMinute: 500, tokensPerMinute: 570_000 });
const client = new OpenAI({
  apiKey: 'none',
  baseURL: `http://localhost:${(double.address() as AddressInfo).port}/v1`,
  fetch: createFetch(createPolicy({ ...openai(), ...limits })),
  maxRetries: 0,
});
const startMs = performance.now();
const ask = () =>
  client.chat.completions.create({ model: 'gpt', messages: [], max_completion_tokens: 10_000 });
const answers = await Promise.all(Array.from({ length: 58 }, ask));
const seconds = Math.round((performance.now() - startMs) / 1_000);
console.log(`${answers.length} answered, ${refused} refused, the last after ${seconds} s`);
double.close();
