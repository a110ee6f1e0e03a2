import type { Step } from './upstream.ts';

const broken: Step = {};
const good: Step = { status: 200 };

/** What the upstream does with the requests of a program. The last step goes on. */
export const SCRIPTS: Readonly<Record<string, readonly Step[]>> = {
  'all is well': [good],
  'one 503': [{ status: 503 }, good],
  'only 503': [{ status: 503 }],
  'three of 500': [{ status: 500 }, { status: 500 }, { status: 500 }, good],
  'a 429 that asks for a second': [{ status: 429, headers: { 'retry-after': '1' } }, good],
  'one connection breaks': [broken, good],
  'all connections break': [broken],
  'a 404': [{ status: 404 }],
  'a 403, then well': [{ status: 403 }, good],
  'a 408, then well': [{ status: 408 }, good],
  'a 409, then well': [{ status: 409 }, good],
  'a 503, a break, well': [{ status: 503 }, broken, good],
};
