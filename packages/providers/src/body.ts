import type { InspectedResponse } from '@ebb/core';
import { bufferBytes, durationMs, property, shortHeader } from '@ebb/core/internal';

/** A value in parsed JSON, by the names on the way to it; `undefined` if there is none. */
export function at(json: unknown, ...names: readonly PropertyKey[]): unknown {
  return names.reduce(property, json);
}

/** As {@link at}, for a text. */
export function textAt(json: unknown, ...names: readonly PropertyKey[]): string | undefined {
  const value = at(json, ...names);
  return typeof value === 'string' ? value : undefined;
}

/** As {@link at}, for a list; empty if there is none. */
export function listAt(json: unknown, ...names: readonly PropertyKey[]): readonly unknown[] {
  const value = at(json, ...names);
  return Array.isArray(value) ? value : [];
}

/** The value of a JSON text; `undefined` if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value of a request body: as the client was given it, or as it has serialised it: JSON as text or bytes, or an object. */
export function jsonIn(body: unknown): unknown {
  if (typeof body === 'string') return parseJson(body.replace(/^\uFEFF/, ''));
  if (bufferBytes(body) === undefined) return body;
  try {
    // It skips a byte order mark.
    return parseJson(new TextDecoder().decode(body as ArrayBuffer));
  } catch {
    return undefined;
  }
}

/** The length of a request body, an object as JSON, in bytes; 0 if it is not known. */
export function bytesIn(body: unknown): number {
  const text =
    typeof body === 'string' ? body : bufferBytes(body) === undefined ? JSON.stringify(body) : undefined;
  return text === undefined ? (bufferBytes(body) ?? 0) : new TextEncoder().encode(text).length;
}

/** As {@link at}, for a number that can be a cost. */
export function numberAt(json: unknown, ...names: readonly PropertyKey[]): number | undefined {
  const value = at(json, ...names);
  return typeof value === 'number' && value >= 0 && value < Infinity ? value : undefined;
}

/** A response header that is a whole number. */
export function countIn(response: InspectedResponse, name: string): number | undefined {
  const text = shortHeader(response, name) ?? '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** True for a response that is streamed as events. */
export function isEventStream(response: InspectedResponse): boolean {
  return hasType(response, 'text/event-stream');
}

/** True if the content type of a response contains a word, such as `json`. */
export function hasType(response: InspectedResponse, word: string): boolean {
  return response.header('content-type')?.toLowerCase().includes(word) === true;
}

/** The path of a URL, absolute or not, with what stands in front of it: without the query and the fragment. */
export function pathOf(url: string): string {
  return url.replace(/[?#].*$/s, '');
}

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
