import { isPromise } from './promise.ts';

/**
 * What an option takes, in words, and other text of errors that only helps its reader. Empty in production builds: minifiers
 * then drop the text.
 */
export function prose(text: string): string | undefined {
  return text;
}

/** Text with values in it, which minifiers would have to put together. */
export function proseOf(text: () => string): string | undefined {
  return text();
}

/** The names of all options, for the error of an unknown one. */
export function namesIn(table: object): string | undefined {
  return Object.keys(table).join(', ');
}

/** What an option takes that is one of a few words. */
export function wordsOf(words: readonly string[]): string | undefined {
  return `one of ${words.map((word) => `'${word}'`).join(', ')}`;
}

/** A URL in a place where none belongs, such as that of a store's client, may have a password. A long text fills the screen. */
function shortened(text: string): string {
  // Up to the last @: a password that was not encoded may have any character.
  return text.replace(/\/\/.*@/s, '//…@').replace(/^(.{100}).+/s, '$1…');
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shortened(value));
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'an array';
  if (isPromise(value)) return 'a promise';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

/** The message of an error for a wrong value. `name` is `caller: option`. */
export function wrongMessage(name: string, takes: string | undefined, given: unknown): string {
  return `${name} must be ${takes}, got ${show(given)}`;
}

/** The message of an error for an option that does not exist. */
export function unknownMessage(caller: string, option: string, known: string | undefined): string {
  return `${caller} has no option ${show(option)}; it takes ${known}`;
}
