import { createHash } from 'node:crypto';

const HELPER = /^(\/\*\*|const (is\w+|exponentialDelay) =|type (FailedAttempt|SettledFetch) =)/;
const LOADS = /^(import\b(?!\()|const \{.*\} = require)/;

/** The helpers of a rewritten program: paragraphs that it did not have before. */
export function helpersOf(text: string, before: string): string[] {
  return text.split('\n\n').filter((one) => HELPER.test(one) && !before.includes(one));
}

/** What stands for a helper, which is written once, in `shapes/helpers.txt`. */
export function markOf(helper: string): string {
  const [, , name] = /^(const|type) (\w+)/m.exec(helper) ?? [];
  return `// ${name} ${createHash('sha1').update(helper).digest('hex').slice(0, 4)}`;
}

/** A rewritten program without its imports and helpers. */
export function bodyOf(text: string): string {
  const paragraphs = text.split('\n\n').filter((one) => !HELPER.test(one) && !LOADS.test(one));
  return paragraphs.join('\n\n').trimEnd();
}
