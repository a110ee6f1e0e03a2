import { ok } from './sdk.ts';
import type { Reply } from './upstream.ts';

const choice = { role: 'assistant', content: 'hi' };

/** A chat completion of OpenAI. */
export const completion: Reply = ok({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-5',
  choices: [{ index: 0, message: choice, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

/** A message of Anthropic, before it has content. */
export const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
};

export const answeredMessage: Reply = ok({
  ...message,
  content: [{ type: 'text', text: 'hi' }],
  stop_reason: 'end_turn',
});

/** What Gemini generates. */
export const content = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'hi' }] }, finishReason: 'STOP' }],
};

export const generated: Reply = ok(content);
