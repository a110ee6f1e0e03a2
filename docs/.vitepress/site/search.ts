/** What the search knows of a section: its title, and those of the page and the sections around it. */
interface Section {
  readonly title?: string;
  readonly titles?: readonly string[];
}

/** The words of a text, and words with hyphens as a whole too: "Retry-After" is not "retry". Sent to the browser as text. */
export function wordsOf(text: string): string[] {
  const parts = text.split(/[^\p{L}\p{N}]+/u);
  return [...parts, ...(text.match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)+/gu) ?? [])];
}

/**
 * The words of a question: of "Retry-After" only the whole, which stands on fewer pages, and no word that every page has. Sent to
 * the browser as text.
 */
export function wordsOfQuestion(text: string): string[] {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}-]+/u);
  const telling = words.filter(
    (word) =>
      !/^(an?|and|by|do(es)?|for|from|how|i[nst]|it|my|of|on|or|the|to|what|when|will|with)$/.test(word),
  );
  return telling.length > 0 ? telling : words;
}

/**
 * How much a section weighs in the search: most on the page that is about the word, by its title, its address or the options
 * that it explains; then guides before other pages, and those before tables of figures and of other libraries. It is sent to
 * the browser as text, so it uses nothing from outside.
 */
export function weigh(id: string, term: string, { title = '', titles = [] }: Section = {}): number {
  const kinds: readonly (readonly [RegExp, number])[] = [
    [/^\/(guide|strategies|breakers)/, 3],
    [/^\/(packages|core|jobs)/, 2],
    [/^\/(sdks|figures|coming-from|reference|changelog)/, 0.4],
  ];
  // Words that people look for, and the page that answers them, where its title says it in other words.
  const about: Readonly<Record<string, string>> = {
    '/breakers': 'breaker opossum cockatiel polly',
    '/coming-from': 'p-retry ky got retryagent axios-retry fetch-retry',
    '/coming-from-limiters': 'bottleneck p-limit p-queue p-throttle limiter',
    '/core/decision': 'classify econnreset error reset',
    '/core/events': 'onevent logging log logs',
    '/guide/observing': 'log logs logging observe',
    '/guide/language-models': 'openai anthropic tokens llm',
    '/guide/quota': 'rate limit quota 429',
    '/guide/rate-limit-fields': 'RateLimit-Policy RateLimit header fields draft',
    '/guide/retry': 'disable off turn turns post methods idempotency-key idempotency idempotent 5xx 503',
    '/guide/testing': 'msw vitest jest fake timers mock',
    '/jobs': 'lambda shutdown graceful polling transaction',
    '/packages/core': 'maxretries options policy',
    '/packages/valkey': 'redis fleet processes cluster',
    '/sdks': 'swr react native svelte fastify nestjs nextjs nuxt gaxios googleapis superagent playwright k6',
    '/strategies/backoff': 'jitter exponential delay wait longest',
    '/strategies/hedges': 'tail p99 latency',
    '/strategies/concurrency': 'semaphore bulkhead',
    '/strategies/resuming': 'server sent streams sse events reconnect download range stream',
    '/strategies/shared-bucket': 'share processes fleet',
    '/strategies/server-wait': 'retry-after 429 retryafter',
    '/strategies/timeouts': 'attempttimeoutms totaltimeoutms deadline abort cancel signal request',
    '/strategies/throttle': 'overload thundering herd',
    '/strategies/priorities': 'priority urgent fair fairkey fairqueue customer',
  };
  const path = id.replace(/^\/ebb/, '').replace(/\.html.*/, '');
  const titled = `${titles[0] ?? title} ${path}`.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  // Every page is about retries: beside other words that one says nothing.
  const pageWords = [...titled, ...(about[path] ?? '').split(' ')].filter((word) => word !== 'retry');
  const kind = kinds.find(([pattern]) => pattern.test(path))?.[1] ?? 1;
  if (!pageWords.includes(term)) return kind;
  // The start of the page is the answer.
  return Math.max(kind, 1) * (titles.length === 0 ? 6 : 3);
}
