/**
 * {@link import('./prose.ts')} of production builds, which select it by the condition `production`. An error still has the name of
 * its option and the value that it got. Empty functions, because minifiers drop their calls together with the text.
 */
export function prose(_text: string): undefined {}

export function proseOf(_text: () => string): undefined {}

/** None: `takes` is empty in production. */
export function namesIn(_table: object): undefined {}

export function wordsOf(_words: readonly string[]): undefined {}

function shortened(text: string): string {
  return text.replace(/\/\/.*@/s, '//…@').replace(/^(.{100}).+/s, '$1…');
}

/** The message for a wrong value. A URL in a place where none belongs may have a password, up to the last @. */
export function wrongMessage(name: string, _takes: string | undefined, given: unknown): string {
  const isObject = typeof given === 'function' || (typeof given === 'object' && given !== null);
  const shown = typeof given === 'string' ? JSON.stringify(shortened(given)) : String(given);
  return `${name} is wrong, got ${isObject ? typeof given : shown}`;
}

/** The message for an option that does not exist. */
export function unknownMessage(caller: string, option: string, _known: string | undefined): string {
  return `${caller} has no option ${JSON.stringify(option)}`;
}
