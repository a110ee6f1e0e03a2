const LOADS = /^(import\b(?!\()|const \{.*\} = require)/;

/** A rewritten program without its imports. */
export function bodyOf(text: string): string {
  const paragraphs = text.split('\n\n').filter((one) => !LOADS.test(one));
  return paragraphs.join('\n\n').trimEnd();
}
