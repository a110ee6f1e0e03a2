import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DefaultTheme } from 'vitepress';
import { stage } from './repository.ts';

export interface Group {
  readonly text: string;
  readonly pages: readonly { readonly route: string; readonly text: string }[];
}

/** Routes and the names of their pages, in the order of the sidebar. Every page of the site has its row. */
const ROWS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Guide: {
    index: 'ebb',
    'guide/start': 'Start',
    'guide/try-it': 'Try it, and tell us',
    'guide/retry': 'Retry',
    'guide/quota': 'Rate limits and quotas',
    'guide/rate-limit-fields': 'Quotas that the server tells',
    'guide/language-models': 'Quotas of language models',
    'guide/fleet': 'Fleet',
    'guide/operating': 'Operating a shared bucket',
    'guide/testing': 'Testing',
    'guide/observing': 'Observing',
    'guide/recipes': 'Recipes',
    'guide/deadlines': 'Deadlines between services',
    'guide/failover': 'Failover',
    'guide/idempotency': 'Idempotency keys',
    'guide/stale-connections': 'Stale connections',
    'guide/workers': 'Cloudflare Workers',
    'guide/durable-bucket': 'A bucket in a Durable Object',
    choosing: 'How to choose',
    breakers: 'Looking for a circuit breaker?',
    'anti-patterns': 'Anti-patterns',
  },
  Strategies: {
    'strategies/index': 'All strategies',
    'strategies/backoff': 'Backoff',
    'strategies/server-wait': 'Server waits',
    'strategies/timeouts': 'Timeouts',
    'strategies/resuming': 'Resumed bodies',
    'strategies/retry-budget': 'Retry budget',
    'strategies/throttle': 'Throttle',
    'strategies/token-bucket': 'Token bucket',
    'strategies/adaptive-rate': 'Adaptive rate',
    'strategies/concurrency': 'Concurrency limit',
    'strategies/hedges': 'Hedges',
    'strategies/priorities': 'Priorities',
    'strategies/per-key': 'One per key',
    'strategies/shared-bucket': 'Shared bucket',
    'strategies/shared-budget': 'Shared budget',
  },
  'In your program': {
    jobs: 'Jobs',
    parts: 'Parts of your own',
    examples: 'Examples',
  },
  'Core in full': {
    'core/decision': 'When a request is sent again',
    'core/attempts': 'Headers of an attempt',
    'core/limits': 'Limits',
    'core/presets': 'Presets',
    'core/functions': 'Functions',
    'core/layers': 'Layers and platforms',
    'core/events': 'What happened',
    'core/testing': 'Tests without waiting',
    'core/adapters': 'Writing a client',
    'core/token-source': 'Bringing a token source',
    'core/types': 'Types',
  },
  'In other clients': {
    sdks: 'SDKs',
    'coming-from': 'Coming from other retry libraries',
    'coming-from-limiters': 'Coming from limiters and breakers',
    ports: 'Programs and their ports',
  },
  Packages: {
    'packages/core': '@ebb/core',
    'packages/fetch': '@ebb/fetch',
    'packages/axios': '@ebb/axios',
    'packages/undici': '@ebb/undici',
    'packages/valkey': '@ebb/valkey',
    'packages/workers': '@ebb/workers',
    'packages/hedge': '@ebb/hedge',
    'packages/resume': '@ebb/resume',
    'packages/providers': '@ebb/providers',
    'packages/compat': '@ebb/compat',
    'packages/opentelemetry': '@ebb/opentelemetry',
    'packages/simulator': '@ebb/simulator',
    'packages/testing': '@ebb/testing',
    'packages/migrate': '@ebb/migrate',
  },
  'API reference': {
    'reference/index': 'All entry points',
    'reference/core': '@ebb/core',
    'reference/core/adapter': '@ebb/core/adapter',
    'reference/core/bucket/index': '@ebb/core/bucket',
    'reference/core/deadlines': '@ebb/core/deadlines',
    'reference/core/deduplicate': '@ebb/core/deduplicate',
    'reference/core/failover': '@ebb/core/failover',
    'reference/core/idempotency': '@ebb/core/idempotency',
    'reference/core/internal': '@ebb/core/internal',
    'reference/core/quotas': '@ebb/core/quotas',
    'reference/core/stale-connections': '@ebb/core/stale-connections',
    'reference/core/testing': '@ebb/core/testing',
    'reference/fetch': '@ebb/fetch',
    'reference/fetch/deduplicate': '@ebb/fetch/deduplicate',
    'reference/fetch/failover': '@ebb/fetch/failover',
    'reference/fetch/internal': '@ebb/fetch/internal',
    'reference/axios': '@ebb/axios',
    'reference/axios/deduplicate': '@ebb/axios/deduplicate',
    'reference/axios/failover': '@ebb/axios/failover',
    'reference/axios/internal': '@ebb/axios/internal',
    'reference/undici': '@ebb/undici',
    'reference/undici/register': '@ebb/undici/register',
    'reference/undici/internal': '@ebb/undici/internal',
    'reference/valkey': '@ebb/valkey',
    'reference/workers': '@ebb/workers',
    'reference/hedge': '@ebb/hedge',
    'reference/hedge/axios': '@ebb/hedge/axios',
    'reference/hedge/fetch': '@ebb/hedge/fetch',
    'reference/hedge/internal/index': '@ebb/hedge/internal',
    'reference/hedge/undici': '@ebb/hedge/undici',
    'reference/resume': '@ebb/resume',
    'reference/resume/fetch': '@ebb/resume/fetch',
    'reference/resume/undici': '@ebb/resume/undici',
    'reference/providers': '@ebb/providers',
    'reference/compat': '@ebb/compat',
    'reference/opentelemetry': '@ebb/opentelemetry',
    'reference/simulator': '@ebb/simulator',
    'reference/migrate': '@ebb/migrate',
    'reference/testing': '@ebb/testing',
    'reference/testing/faults': '@ebb/testing/faults',
  },
  Project: {
    figures: 'Figures',
    changelog: 'Changelog',
  },
};

export const groups: readonly Group[] = Object.entries(ROWS).map(([text, rows]) => ({
  text,
  pages: Object.entries(rows).map(([route, name]) => ({ route, text: name })),
}));

const itemsOf = (shown: readonly Group[]): DefaultTheme.SidebarItem[] =>
  shown.map(({ text, pages }) => ({
    text,
    items: pages.map((page) => ({ text: page.text, link: `/${page.route.replace(/(^|\/)index$/, '$1')}` })),
  }));

/**
 * The sidebar of the API reference, and that of all other pages.
 * @throws Error if a row has no page
 */
export function sidebar(): DefaultTheme.SidebarMulti {
  const routes = groups.flatMap(({ pages }) => pages.map(({ route }) => route));
  const missing = routes.filter((route) => !existsSync(join(stage, `${route}.md`)));
  if (missing.length > 0) throw new Error(`the sidebar lists pages that do not exist: ${missing.join(', ')}`);
  const isReference = ({ text }: Group): boolean => text === 'API reference';
  return {
    '/reference/': itemsOf(groups.filter(isReference)),
    '/': itemsOf(groups.filter((group) => !isReference(group))),
  };
}
