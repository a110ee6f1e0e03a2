import { parseHttpDate } from './feedback.ts';
import { LONGEST_LIST, shortHeader } from './headers.ts';
import type { ResponseOutcome } from './outcome.ts';

/** The rest of one quota. */
export interface QuotaRest {
  /** In the unit of the quota, such as requests or tokens; 0 or more. */
  readonly remaining: number;
  /** How long until there is more for one request, in milliseconds; 0 if there is enough, or the response does not say. */
  readonly resetMs: number;
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
/** A duration in Go's format: 12ms, 1s, 6m0s, 1h0m0.5s. */
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const NUMBER = /^\d+(?:\.\d+)?$/;

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && NUMBER.test(text.trim()) ? Number(text) : undefined;
}

/** A duration such as 450ms, 27.4s or 6m0s, in milliseconds; `undefined` if the text is none, or its number too large. */
export function durationMs(text: string): number | undefined {
  let sumMs = 0;
  for (const [, amount, unit] of text.matchAll(/([\d.]+)(ms|s|m|h)/g)) {
    sumMs += Number(amount) * (UNIT_MS[unit as string] as number);
  }
  return DURATION.test(text) && Number.isFinite(sumMs) ? sumMs : undefined;
}

/**
 * The time until a reset, in milliseconds. Servers send seconds, seconds or milliseconds since 1970, a duration, or a
 * date, under the same field names.
 *
 * @param sentMs when the response was sent, in milliseconds since 1970
 */
export function resetMs(text: string | undefined, sentMs: number): number | undefined {
  const trimmed = text?.trim() ?? '';
  const number = numberOf(trimmed) ?? Number.NaN;
  const forMs = number < 1e8 ? number * 1_000 : durationMs(trimmed);
  if (forMs !== undefined) return forMs;
  let atMs: number | undefined = number < 1e11 ? number * 1_000 : number;
  if (Number.isNaN(number)) {
    atMs = RFC_3339.test(trimmed) ? Date.parse(trimmed) : parseHttpDate(trimmed);
  }
  return atMs === undefined || Number.isNaN(atMs) ? undefined : Math.max(0, atMs - sentMs);
}

/** A quota that is counted in windows: what is left holds until the window ends. */
function inWindow(remaining: number, windowMs: number): QuotaRest {
  return { remaining, resetMs: remaining > 0 ? 0 : windowMs };
}

/** A string or a token, its parameters, and the comma or the end after them (RFC 9651). */
const ITEM =
  /\s*("(?:[^"\\]|\\["\\])*"|[a-z*][\w.:*/-]*)((?:\s*;\s*[a-z*][\w.*-]*(?:=(?:"(?:[^"\\]|\\["\\])*"|[^\s;,"]+))?)*)\s*(,|$)/iy;
const PARAMETER = /;\s*([a-z*][\w.*-]*)(?:=("(?:[^"\\]|\\["\\])*"|[^\s;,"]+))?/gi;
const WHOLE = /^\d{1,15}$/;

/** An item of a list: its name, and its parameters as they are written. */
export type ListItem = readonly [name: string, parameters: Readonly<Record<string, string | undefined>>];

/** The items of a list field; none if it is malformed. */
export function itemsOf(field: string): readonly ListItem[] {
  const all: ListItem[] = [];
  ITEM.lastIndex = 0;
  for (let more = true; more; ) {
    const item = ITEM.exec(field);
    if (item === null) return [];
    const found = [...(item[2] as string).matchAll(PARAMETER)].map(([, name, value]) => [name, value]);
    all.push([item[1] as string, Object.fromEntries(found)]);
    more = item[3] === ',';
  }
  return all;
}

/** A whole number of a field; `undefined` for anything else. */
export function wholeOf(text: string | undefined): number | undefined {
  return text !== undefined && WHOLE.test(text) ? Number(text) : undefined;
}

/** `"burst";r=5;t=30, "day";r=900;t=7200`: a list, since draft 08. */
function fromList(field: string): readonly QuotaRest[] {
  const all: QuotaRest[] = [];
  for (const [, { r, t = '0' }] of itemsOf(field)) {
    const [remaining, seconds] = [wholeOf(r), wholeOf(t)];
    if (remaining === undefined || seconds === undefined) return [];
    all.push(inWindow(remaining, seconds * 1_000));
  }
  return all;
}

/** `limit=100, remaining=50, reset=5`: a dictionary, in draft 07. */
function fromDictionary(field: string): readonly QuotaRest[] {
  const entries = field.split(',').map((entry) => entry.trim().split('='));
  const { remaining = '', reset = '0' }: Record<string, string> = Object.fromEntries(entries);
  if (!WHOLE.test(remaining) || !WHOLE.test(reset)) return [];
  return [inWindow(Number(remaining), Number(reset) * 1_000)];
}

/** In this order: IETF up to draft 06 (also Kong and GitLab); GitHub and most others; X. */
const PREFIXES = ['ratelimit', 'x-ratelimit', 'x-rate-limit'];

/** The name of a field by its part (remaining, reset, limit) and the unit of its quota, and the rarer units. */
type Family = readonly [name: (part: string, unit: string) => string, others: readonly string[]];

/**
 * OpenAI and Anthropic have a quota per unit. These quotas refill continuously, and the reset is the time until they are full:
 * the tokens of one request are available much sooner.
 *
 * Source: OpenAI, "Rate limits" (the reset of a quota of 60 of which 59 remain is 1 s); Anthropic, "Rate limits".
 */
const FAMILIES: readonly Family[] = [
  [(part, unit) => `x-ratelimit-${part}-${unit}`, ['project-tokens']],
  [(part, unit) => `anthropic-ratelimit-${unit}-${part}`, ['input-tokens', 'output-tokens']],
];

/** Kong counts in windows that are aligned with the clock, and sends no reset. */
const KONG_WINDOWS_MS = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * The quotas that a response reports. Most report none, so only a few fields are looked up in every response.
 *
 * @param sentMs returns when the response was sent, in milliseconds since 1970
 * @param cost the tokens of a request, for quotas of tokens; in a quota of requests it counts as one
 * @param isRefusal true to look for every unit: a refusal may report only the one that is used up
 */
export function quotasOf(
  response: Pick<ResponseOutcome, 'header'>,
  sentMs: () => number,
  cost = 1,
  isRefusal = false,
): readonly QuotaRest[] {
  const header = (name: string): string | undefined => shortHeader(response, name);
  const found: QuotaRest[] = [];
  /** Returns false if the response does not have the fields. A quota without a unit is one of requests, in a window. */
  const read = (name: (part: string, unit: string) => string, unit = ''): boolean => {
    const text = header(name('remaining', unit));
    const remaining = numberOf(text);
    if (remaining === undefined) return text !== undefined;
    const missing = (unit === '' || unit === 'requests' ? 1 : cost) - remaining;
    let waitMs = 0;
    // The reset matters only if too little is left.
    if (missing > 0) {
      const full = unit === '' ? undefined : numberOf(header(name('limit', unit)));
      // Without a limit, the time until one more unit is there is not known.
      const share = full === undefined ? 1 : Math.min(1, missing / Math.max(1, full - remaining));
      waitMs = (resetMs(header(name('reset', unit)), sentMs()) ?? 0) * share;
    }
    found.push({ remaining, resetMs: waitMs });
    return true;
  };
  const field = shortHeader(response, 'ratelimit', LONGEST_LIST)?.trim();
  if (field !== undefined) {
    found.push(...(/^[a-z]+=/i.test(field) ? fromDictionary(field) : fromList(field)));
  }
  for (const prefix of PREFIXES) read((part) => `${prefix}-${part}`);
  for (const [name, others] of FAMILIES) {
    const isSent = ['requests', 'tokens'].filter((unit) => read(name, unit)).length > 0;
    if (isSent || isRefusal) for (const unit of others) read(name, unit);
  }
  if (response.header('via')?.includes('kong')) {
    for (const [unit, windowMs] of Object.entries(KONG_WINDOWS_MS)) {
      const remaining = numberOf(header(`x-ratelimit-remaining-${unit}`));
      if (remaining !== undefined) found.push(inWindow(remaining, windowMs - (sentMs() % windowMs)));
    }
  }
  return found;
}
