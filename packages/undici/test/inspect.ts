import { type Inspect, type InspectBodyOptions, inspectBody, type PolicyOptions } from '@ebb/core';
import { begin, type Setting } from './relay.ts';
import type { HandlerSpy } from './wire.ts';

/** Retries a body with an `error` in it. */
export const errorInBody: Inspect = async (response) =>
  ((await response.json()) as { error?: unknown } | undefined)?.error === undefined
    ? undefined
    : { verdict: 'transient' };

/** Retries an event stream that begins with an error. */
export const errorInFirstEvent: Inspect = async (response) =>
  (await response.firstEvent())?.event === 'error' ? { verdict: 'refused' } : undefined;

/** Dispatches a request whose responses are looked at. */
export function start(
  look: Inspect,
  { maxBytes, timeoutMs, ...options }: PolicyOptions & InspectBodyOptions = {},
  request: object = {},
  spy?: HandlerSpy,
): Setting {
  return begin({ inspect: inspectBody(look, { maxBytes, timeoutMs }), ...options }, request, spy);
}

/** What the handler got of the body. */
export function bodyOf(spy: HandlerSpy): string {
  const parts = spy.calls.filter((call) => call.startsWith('data '));
  return parts.map((call) => call.slice('data '.length)).join('');
}
