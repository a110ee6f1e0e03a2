/**
 * Text of an error that only helps its reader, such as the values of an option in words. Empty in production builds: minifiers
 * then drop the text.
 */
export function devText(text: string): string | undefined {
  return text;
}

/** Text with values in it, which minifiers would have to put together. */
export function devTextOf(text: () => string): string | undefined {
  return text();
}

/** Checks a value for its type. Production builds leave one of a wrong type to fail by itself, where it is used. */
export function inDevelopment(check: () => void): void {
  check();
}

/** A URL in a place where none belongs, such as that of a store's client, may have a password. A long text fills the screen. */
function shorten(text: string): string {
  // Up to the last @: a password that was not encoded may have any character.
  return text.replace(/\/\/.*@/s, '//…@').replace(/^(.{100}).+/s, '$1…');
}

/** A value, as an error shows it. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shorten(value));
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Promise) return 'a promise';
  return Object(value) === value ? 'an object' : String(value);
}
