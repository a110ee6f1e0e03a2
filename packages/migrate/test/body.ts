const HELPER = /^(\/\*\*|const (is\w+|exponentialDelay) =|type (FailedAttempt|SettledFetch) =)/;
const LOADS = /^(import\b(?!\()|const \{.*\} = require)/;

/** A rewritten program without its imports and helpers. */
export function bodyOf(text: string): string {
  const paragraphs = text.split('\n\n').filter((one) => !HELPER.test(one) && !LOADS.test(one));
  return paragraphs.join('\n\n').trimEnd();
}
