import { type Inspect, type InspectBodyOptions, inspectBody, type PolicyOptions } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import { get, type Setting, setUp } from './relay.ts';
import { HandlerSpy } from './wire.ts';

export type Look = Inspect;

/** Retries a body with an `error` in it. */
export const errorInBody: Look = async (response) =>
  ((await response.json()) as { error?: unknown } | undefined)?.error === undefined
    ? undefined
    : { verdict: 'transient' };

/** Retries an event stream that begins with an error. */
export const errorInFirstEvent: Look = async (response) =>
  (await response.firstEvent())?.event === 'error' ? { verdict: 'refused' } : undefined;

export async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await nextTurn();
}

/** Dispatches a request whose responses are looked at. */
export function start(
  look: Look,
  { maxBytes, timeoutMs, ...options }: PolicyOptions & InspectBodyOptions = {},
  request: object = {},
  spy: HandlerSpy = new HandlerSpy(),
): Setting {
  const setting = setUp({ inspect: inspectBody(look, { maxBytes, timeoutMs }), ...options });
  setting.dispatch({ ...get, ...request }, spy);
  return { ...setting, spy };
}

/** What the handler got of the body. */
export function bodyOf(spy: HandlerSpy): string {
  return spy.calls
    .filter((call) => call.startsWith('data '))
    .map((call) => call.slice('data '.length))
    .join('');
}
