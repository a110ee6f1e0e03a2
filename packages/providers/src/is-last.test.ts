import { expect, test } from 'vitest';
import { anthropicIsLast } from './anthropic.ts';
import { googleIsLast } from './google.ts';
import { openaiIsLast } from './openai.ts';

const json = JSON.stringify;
const finished = { finishReason: 'STOP' };

test.each<[name: string, isLast: typeof openaiIsLast, event: string, data: string, expected: boolean]>([
  ['openai: [DONE]', openaiIsLast, 'message', '[DONE]', true],
  ['openai: [DONE], with a blank', openaiIsLast, 'message', '[DONE] ', true],
  ['openai: [DONE] in a text', openaiIsLast, 'message', 'x [DONE]', false],
  ['openai: an error without a name', openaiIsLast, 'message', json({ type: 'error' }), true],
  ['openai: an error that is a text', openaiIsLast, 'message', json({ error: 'no' }), false],
  ['openai: an event that has no type', openaiIsLast, 'message', json({ types: 'error' }), false],
  ['openai: a delta', openaiIsLast, 'message', json({ choices: [{ delta: { content: '"error"' } }] }), false],
  ['openai: a delta that speaks of it', openaiIsLast, 'message', json({ text: 'response.completed' }), false],
  [
    'openai: a finish reason, after which the usage comes',
    openaiIsLast,
    'message',
    json({ choices: [finished] }),
    false,
  ],
  ['openai: no error', openaiIsLast, 'message', json({ error: null, type: 'x' }), false],
  ['openai: an error', openaiIsLast, 'message', json({ error: { code: 'server_error' } }), true],
  ['openai: a named error', openaiIsLast, 'error', json({ code: 'server_error' }), true],
  ['openai: completed', openaiIsLast, 'response.completed', json({ type: 'response.completed' }), true],
  [
    'openai: incomplete, without a name',
    openaiIsLast,
    'message',
    json({ type: 'response.incomplete' }),
    true,
  ],
  ['openai: failed', openaiIsLast, 'response.failed', '{}', true],
  [
    'openai: text that is done',
    openaiIsLast,
    'response.output_text.done',
    json({ type: 'response.output_text.done' }),
    false,
  ],
  ['openai: half a JSON', openaiIsLast, 'message', '{"error": {', false],
  ['anthropic: message_stop', anthropicIsLast, 'message_stop', json({ type: 'message_stop' }), true],
  [
    'anthropic: message_stop without a name',
    anthropicIsLast,
    'message',
    json({ type: 'message_stop' }),
    true,
  ],
  ['anthropic: message_delta', anthropicIsLast, 'message_delta', json({ type: 'message_stop' }), false],
  ['anthropic: an error', anthropicIsLast, 'error', '{}', true],
  ['anthropic: an error without a name', anthropicIsLast, 'message', json({ type: 'error' }), true],
  ['anthropic: another without a name', anthropicIsLast, 'message', json({ type: 'ping' }), false],
  ['anthropic: no JSON', anthropicIsLast, 'message', 'message_stop', false],
  ['anthropic: a ping', anthropicIsLast, 'ping', json({ type: 'ping' }), false],
  ['google: a finish reason', googleIsLast, 'message', json({ candidates: [finished] }), true],
  ['google: one candidate of two', googleIsLast, 'message', json({ candidates: [finished, {}] }), false],
  [
    'google: text that speaks of it',
    googleIsLast,
    'message',
    json({ candidates: [{ text: '"finishReason"' }] }),
    false,
  ],
  [
    'google: a blocked prompt',
    googleIsLast,
    'message',
    json({ promptFeedback: { blockReason: 'SAFETY' } }),
    true,
  ],
  ['google: an error', googleIsLast, 'message', json({ error: { code: 503 } }), true],
  ['google: an error that is none', googleIsLast, 'message', json({ error: null }), false],
  ['google: no candidates', googleIsLast, 'message', json({ candidates: [], error: null }), false],
  [
    'google: a finish that is still open',
    googleIsLast,
    'message',
    json({ candidates: [{ finishReason: null }] }),
    false,
  ],
  [
    'google: a prompt that was not blocked',
    googleIsLast,
    'message',
    json({ promptFeedback: { blockReason: null } }),
    false,
  ],
  ['google: no JSON', googleIsLast, 'message', '"error"', false],
])('%s', (_, isLast, event, data, expected) => {
  expect(isLast({ event, data })).toBe(expected);
});
