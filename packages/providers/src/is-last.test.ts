import { expect, test } from 'vitest';
import { anthropicIsLast } from './anthropic.ts';
import { googleIsLast } from './google.ts';
import { openaiIsLast } from './openai.ts';

const finished = { finishReason: 'STOP' };

type Row = readonly [story: string, event: string, data: unknown, expected: boolean];

/** What a provider says of each of these events, whose data is a text or JSON. */
function says(title: string, isLast: typeof openaiIsLast, rows: readonly Row[]): void {
  test.each(rows)(title, (_, event, data, expected) => {
    expect(isLast({ event, data: typeof data === 'string' ? data : JSON.stringify(data) })).toBe(expected);
  });
}

says('openai: %s', openaiIsLast, [
  ['[DONE]', 'message', '[DONE]', true],
  ['[DONE], with a blank', 'message', '[DONE] ', true],
  ['[DONE] in a text', 'message', 'x [DONE]', false],
  ['an error without a name', 'message', { type: 'error' }, true],
  ['an error that is a text', 'message', { error: 'no' }, false],
  ['an event that has no type', 'message', { types: 'error' }, false],
  ['a delta', 'message', { choices: [{ delta: { content: '"error"' } }] }, false],
  ['a delta that speaks of it', 'message', { text: 'response.completed' }, false],
  ['a finish reason, after which the usage comes', 'message', { choices: [finished] }, false],
  ['no error', 'message', { error: null, type: 'x' }, false],
  ['an error', 'message', { error: { code: 'server_error' } }, true],
  ['a named error', 'error', { code: 'server_error' }, true],
  ['completed', 'response.completed', { type: 'response.completed' }, true],
  ['incomplete, without a name', 'message', { type: 'response.incomplete' }, true],
  ['failed', 'response.failed', '{}', true],
  ['text that is done', 'response.output_text.done', { type: 'response.output_text.done' }, false],
  ['half a JSON', 'message', '{"error": {', false],
]);

says('anthropic: %s', anthropicIsLast, [
  ['message_stop', 'message_stop', { type: 'message_stop' }, true],
  ['message_stop without a name', 'message', { type: 'message_stop' }, true],
  ['message_delta', 'message_delta', { type: 'message_stop' }, false],
  ['an error', 'error', '{}', true],
  ['an error without a name', 'message', { type: 'error' }, true],
  ['another without a name', 'message', { type: 'ping' }, false],
  ['no JSON', 'message', 'message_stop', false],
  ['a ping', 'ping', { type: 'ping' }, false],
]);

says('google: %s', googleIsLast, [
  ['a finish reason', 'message', { candidates: [finished] }, true],
  ['one candidate of two', 'message', { candidates: [finished, {}] }, false],
  ['text that speaks of it', 'message', { candidates: [{ text: '"finishReason"' }] }, false],
  ['a blocked prompt', 'message', { promptFeedback: { blockReason: 'SAFETY' } }, true],
  ['an error', 'message', { error: { code: 503 } }, true],
  ['an error that is none', 'message', { error: null }, false],
  ['no candidates', 'message', { candidates: [], error: null }, false],
  ['a finish that is still open', 'message', { candidates: [{ finishReason: null }] }, false],
  ['a prompt that was not blocked', 'message', { promptFeedback: { blockReason: null } }, false],
  ['no JSON', 'message', '"error"', false],
]);
