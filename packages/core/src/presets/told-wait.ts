import type { InspectedResponse } from '../http/inspect.ts';
import { durationMs } from '../http/quota-fields.ts';

/** True if the headers ask for a wait, as seconds, a date or milliseconds. */
export function tellsWait(response: InspectedResponse): boolean {
  return response.header('retry-after') !== undefined || response.header('retry-after-ms') !== undefined;
}

const IN_WORDS = /\btry again in ((?:\d+(?:\.\d+)?(?:ms|s|m|h))+)/i;

/** The wait in a message such as "Please try again in 6m0s.", in milliseconds; `undefined` if there is none. */
export function waitInWords(message: string | undefined): number | undefined {
  const duration = IN_WORDS.exec(message ?? '')?.[1];
  return duration === undefined ? undefined : durationMs(duration);
}
