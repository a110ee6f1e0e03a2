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

/** Throws for a value of the wrong type. Production builds leave it to fail by itself, where it is used. */
export function mustHaveType(hasType: boolean, error: () => Error): void {
  if (!hasType) throw error();
}
