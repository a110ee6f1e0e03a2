import { parseHttpDate } from './retry-after.ts';

/** The rest of one quota. */
export interface Left {
  /** In the unit of the quota, such as requests or tokens; 0 or more. */
  readonly remaining: number;
  /** How long until there is more, in milliseconds; 0 if the response does not say. */
  readonly resetMs: number;
}

type Header = (name: string) => string | undefined;

const DURATION_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
/** A duration in Go's format: 12ms, 1s, 6m0s, 1h0m0.5s. */
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const NUMBER = /^\d+(?:\.\d+)?$/;

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && NUMBER.test(text.trim()) ? Number(text) : undefined;
}

/**
 * The time until a reset, in milliseconds. Servers send seconds, seconds or milliseconds since 1970, a duration, or a
 * date, under the same field names.
 *
 * @param sentMs when the response was sent, in milliseconds since 1970
 */
export function resetMs(text: string | undefined, sentMs: number): number | undefined {
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  const number = numberOf(trimmed);
  if (number !== undefined) {
    if (number < 1e8) return number * 1_000;
    return Math.max(0, (number < 1e11 ? number * 1_000 : number) - sentMs);
  }
  if (DURATION.test(trimmed)) {
    let sumMs = 0;
    for (const [, amount, unit] of trimmed.matchAll(/([\d.]+)(ms|s|m|h)/g)) {
      sumMs += Number(amount) * (DURATION_MS[unit as string] as number);
    }
    return sumMs;
  }
  const atMs = RFC_3339.test(trimmed) ? Date.parse(trimmed) : parseHttpDate(trimmed, sentMs);
  return atMs === undefined || Number.isNaN(atMs) ? undefined : Math.max(0, atMs - sentMs);
}

/** A string or a token, its parameters, and the comma or the end after them (RFC 9651). */
const ITEM =
  /\s*(?:"(?:[^"\\]|\\["\\])*"|[a-z*][\w.:*/-]*)((?:\s*;\s*[a-z*][\w.*-]*(?:=(?:"(?:[^"\\]|\\["\\])*"|[^\s;,"]+))?)*)\s*(,|$)/iy;
const PARAMETER = /;\s*([a-z*][\w.*-]*)(?:=("(?:[^"\\]|\\["\\])*"|[^\s;,"]+))?/gi;
const WHOLE = /^\d{1,15}$/;

/** Longer fields are ignored: this limits the work on a malicious one. */
const LONGEST_FIELD = 2_000;

/** `"burst";r=5;t=30, "day";r=900;t=7200`: a list, since draft 08. */
function fromList(field: string): readonly Left[] {
  const all: Left[] = [];
  ITEM.lastIndex = 0;
  for (let more = true; more; ) {
    const item = ITEM.exec(field);
    if (item === null) return [];
    const found = [...(item[1] as string).matchAll(PARAMETER)].map(([, name, value]) => [name, value]);
    const { r = '', t = '0' } = Object.fromEntries(found) as Record<string, string>;
    if (!WHOLE.test(r) || !WHOLE.test(t)) return [];
    all.push({ remaining: Number(r), resetMs: Number(t) * 1_000 });
    more = item[2] === ',';
  }
  return all;
}

/** `limit=100, remaining=50, reset=5`: a dictionary, in draft 07. */
function fromDictionary(field: string): readonly Left[] {
  const entries = field.split(',').map((entry) => entry.trim().split('='));
  const { remaining = '', reset = '0' } = Object.fromEntries(entries) as Record<string, string>;
  if (!WHOLE.test(remaining) || !WHOLE.test(reset)) return [];
  return [{ remaining: Number(remaining), resetMs: Number(reset) * 1_000 }];
}

/** The names of three fields: the rest of the quota, its reset, and its full size. */
type Triple = readonly [remaining: string, reset: string, full?: string];

/** In this order: IETF up to draft 06 (also Kong and GitLab); GitHub and most others; X. */
const TRIPLES: readonly Triple[] = [
  ['ratelimit-remaining', 'ratelimit-reset'],
  ['x-ratelimit-remaining', 'x-ratelimit-reset'],
  ['x-rate-limit-remaining', 'x-rate-limit-reset'],
];

/**
 * OpenAI and Anthropic have a quota per unit; the first unit is always present. These quotas refill continuously, and the
 * reset is the time until they are full: the next unit is available much sooner.
 */
const FAMILIES: readonly (readonly Triple[])[] = [
  ['requests', 'tokens'].map((unit): Triple => {
    return [`x-ratelimit-remaining-${unit}`, `x-ratelimit-reset-${unit}`, `x-ratelimit-limit-${unit}`];
  }),
  ['requests', 'tokens', 'input-tokens', 'output-tokens'].map((unit): Triple => {
    const prefix = `anthropic-ratelimit-${unit}`;
    return [`${prefix}-remaining`, `${prefix}-reset`, `${prefix}-limit`];
  }),
];

/** Kong counts in windows that are aligned with the clock, and sends no reset. */
const KONG_WINDOWS_MS: readonly (readonly [remaining: string, windowMs: number])[] = [
  ['x-ratelimit-remaining-second', 1_000],
  ['x-ratelimit-remaining-minute', 60_000],
  ['x-ratelimit-remaining-hour', 3_600_000],
  ['x-ratelimit-remaining-day', 86_400_000],
];

/**
 * The quotas that a response reports. Most report none, so only a few fields are looked up in every response.
 *
 * @param sentMs returns when the response was sent, in milliseconds since 1970
 */
export function quotasOf(header: Header, sentMs: () => number): readonly Left[] {
  const all: Left[] = [];
  const add = ([remainingName, resetName, fullName]: Triple): boolean => {
    const text = header(remainingName);
    const remaining = numberOf(text);
    if (remaining === undefined) return text !== undefined;
    // The reset matters only if nothing is left.
    const fullMs = remaining > 0 ? 0 : (resetMs(header(resetName), sentMs()) ?? 0);
    const full = numberOf(fullName && header(fullName)) ?? 1;
    all.push({ remaining, resetMs: fullMs / Math.max(1, full) });
    return true;
  };

  const field = header('ratelimit')?.trim();
  if (field !== undefined && field.length <= LONGEST_FIELD) {
    all.push(...(/^[a-z]+=/i.test(field) ? fromDictionary(field) : fromList(field)));
  }
  for (const triple of TRIPLES) add(triple);
  for (const [first, ...others] of FAMILIES) {
    if (add(first as Triple)) for (const triple of others) add(triple);
  }
  if (header('via')?.includes('kong')) {
    for (const [name, windowMs] of KONG_WINDOWS_MS) {
      const remaining = numberOf(header(name));
      if (remaining !== undefined) all.push({ remaining, resetMs: windowMs - (sentMs() % windowMs) });
    }
  }
  return all;
}
