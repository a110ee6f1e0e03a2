import type { ServerEvent } from '../http/inspected.ts';
import { at, listAt, parsed, textAt } from './body.ts';

// The last event of a whole stream, for the `isLast` of `resuming` of @ebb/fetch. A stream that a proxy ends in its middle looks like one
// that has ended, and the SDKs of these providers take it for whole. An error is the last event as well: more does not come.

/** The types of the events of OpenAI's Responses API after which there are no more. */
const ENDS: ReadonlySet<string | undefined> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'error',
]);

/**
 * True for the last event of a stream of OpenAI: `[DONE]` of chat completions, `response.completed`, `response.incomplete` and
 * `response.failed` of responses, and errors.
 *
 * Source: openai 7.57.0 (`Stream`, `ResponseStreamEvent`).
 *
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { openai, openaiIsLast } from '@ebb/core/presets';
 * import { createFetch } from '@ebb/fetch';
 * import { resuming } from '@ebb/fetch/resuming';
 *
 * const policy = createPolicy(openai());
 * const fetch = resuming(createFetch(policy), { policy, isLast: openaiIsLast });
 * ```
 */
export function openaiIsLast({ event, data }: ServerEvent): boolean {
  if (data.startsWith('[DONE]') || ENDS.has(event)) return true;
  // Most events are deltas, and are not parsed.
  if (!/"(?:error|type)"/.test(data)) return false;
  const json = parsed(data);
  return ENDS.has(textAt(json, 'type')) || isError(at(json, 'error'));
}

/**
 * True for the last event of a stream of Anthropic: `message_stop`, and errors.
 *
 * Source: @anthropic-ai/sdk 1.12.0 (`Stream`, `MessageStream`).
 */
export function anthropicIsLast({ event, data }: ServerEvent): boolean {
  // Some gateways leave the names of events out.
  const type = event === 'message' ? textAt(parsed(data), 'type') : event;
  return type === 'message_stop' || type === 'error';
}

/**
 * True for an event of Gemini whose candidate has a `finishReason`, or whose prompt was blocked, and for errors. Events after it
 * pass as well.
 *
 * Source: @google/genai 3.1.0 (`GenerateContentResponse`).
 */
export function googleIsLast({ data }: ServerEvent): boolean {
  if (!/"(?:finishReason|blockReason|error)"/.test(data)) return false;
  const json = parsed(data);
  if (isError(at(json, 'error')) || textAt(json, 'promptFeedback', 'blockReason') !== undefined) return true;
  const candidates = listAt(json, 'candidates');
  return candidates.length > 0 && candidates.every((one) => textAt(one, 'finishReason') !== undefined);
}

function isError(error: unknown): boolean {
  return typeof error === 'object' && error !== null;
}
