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

/** Throws for a value of the wrong type. Production builds leave it to fail by itself, where it is used. */
export function mustHaveType(hasType: boolean, error: () => Error): void {
  if (!hasType) throw error();
}
