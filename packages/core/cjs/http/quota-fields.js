"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.durationMs = durationMs;
exports.resetMs = resetMs;
exports.quotasOf = quotasOf;
const retry_after_ts_1 = require("./retry-after.js");
const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
/** A duration in Go's format: 12ms, 1s, 6m0s, 1h0m0.5s. */
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const NUMBER = /^\d+(?:\.\d+)?$/;
function numberOf(text) {
    return text !== undefined && NUMBER.test(text.trim()) ? Number(text) : undefined;
}
/** A duration such as 450ms, 27.4s or 6m0s, in milliseconds; `undefined` if the text is none, or its number too large. */
function durationMs(text) {
    if (!DURATION.test(text))
        return undefined;
    let sumMs = 0;
    for (const [, amount, unit] of text.matchAll(/([\d.]+)(ms|s|m|h)/g)) {
        sumMs += Number(amount) * UNIT_MS[unit];
    }
    return Number.isFinite(sumMs) ? sumMs : undefined;
}
/**
 * The time until a reset, in milliseconds. Servers send seconds, seconds or milliseconds since 1970, a duration, or a
 * date, under the same field names.
 *
 * @param sentMs when the response was sent, in milliseconds since 1970
 */
function resetMs(text, sentMs) {
    if (text === undefined)
        return undefined;
    const trimmed = text.trim();
    const number = numberOf(trimmed);
    if (number !== undefined) {
        if (number < 1e8)
            return number * 1_000;
        return Math.max(0, (number < 1e11 ? number * 1_000 : number) - sentMs);
    }
    const duration = durationMs(trimmed);
    if (duration !== undefined)
        return duration;
    const atMs = RFC_3339.test(trimmed) ? Date.parse(trimmed) : (0, retry_after_ts_1.parseHttpDate)(trimmed, sentMs);
    return atMs === undefined || Number.isNaN(atMs) ? undefined : Math.max(0, atMs - sentMs);
}
/** A quota that is counted in windows: what is left holds until the window ends. */
function inWindow(remaining, windowMs) {
    return { remaining, resetMs: remaining > 0 ? 0 : windowMs };
}
/** A string or a token, its parameters, and the comma or the end after them (RFC 9651). */
const ITEM = /\s*(?:"(?:[^"\\]|\\["\\])*"|[a-z*][\w.:*/-]*)((?:\s*;\s*[a-z*][\w.*-]*(?:=(?:"(?:[^"\\]|\\["\\])*"|[^\s;,"]+))?)*)\s*(,|$)/iy;
const PARAMETER = /;\s*([a-z*][\w.*-]*)(?:=("(?:[^"\\]|\\["\\])*"|[^\s;,"]+))?/gi;
const WHOLE = /^\d{1,15}$/;
/** Longer fields are ignored: this limits the work on a malicious one. */
const LONGEST_FIELD = 2_000;
/** `"burst";r=5;t=30, "day";r=900;t=7200`: a list, since draft 08. */
function fromList(field) {
    const all = [];
    ITEM.lastIndex = 0;
    for (let more = true; more;) {
        const item = ITEM.exec(field);
        if (item === null)
            return [];
        const found = [...item[1].matchAll(PARAMETER)].map(([, name, value]) => [name, value]);
        const { r = '', t = '0' } = Object.fromEntries(found);
        if (!WHOLE.test(r) || !WHOLE.test(t))
            return [];
        all.push(inWindow(Number(r), Number(t) * 1_000));
        more = item[2] === ',';
    }
    return all;
}
/** `limit=100, remaining=50, reset=5`: a dictionary, in draft 07. */
function fromDictionary(field) {
    const entries = field.split(',').map((entry) => entry.trim().split('='));
    const { remaining = '', reset = '0' } = Object.fromEntries(entries);
    if (!WHOLE.test(remaining) || !WHOLE.test(reset))
        return [];
    return [inWindow(Number(remaining), Number(reset) * 1_000)];
}
/** In this order: IETF up to draft 06 (also Kong and GitLab); GitHub and most others; X. */
const WINDOWS = ['ratelimit', 'x-ratelimit', 'x-rate-limit'].map((prefix) => {
    return { remaining: `${prefix}-remaining`, reset: `${prefix}-reset`, countsRequests: true };
});
/** `name` makes the name of a field from its part (remaining, reset, limit) and its unit. */
function family(name, otherUnits) {
    const fieldsOf = (unit) => ({
        remaining: name('remaining', unit),
        reset: name('reset', unit),
        limit: name('limit', unit),
        countsRequests: unit === 'requests',
    });
    return { present: ['requests', 'tokens'].map(fieldsOf), others: otherUnits.map(fieldsOf) };
}
/**
 * OpenAI and Anthropic have a quota per unit. These quotas refill continuously, and the reset is the time until they are
 * full: what one request needs is available much sooner.
 *
 * Source: OpenAI, "Rate limits" (the reset of a quota of 60 of which 59 remain is 1 s); Anthropic, "Rate limits".
 */
const FAMILIES = [
    family((part, unit) => `x-ratelimit-${part}-${unit}`, ['project-tokens']),
    family((part, unit) => `anthropic-ratelimit-${unit}-${part}`, ['input-tokens', 'output-tokens']),
];
/** Kong counts in windows that are aligned with the clock, and sends no reset. */
const KONG_WINDOWS_MS = [
    ['x-ratelimit-remaining-second', 1_000],
    ['x-ratelimit-remaining-minute', 60_000],
    ['x-ratelimit-remaining-hour', 3_600_000],
    ['x-ratelimit-remaining-day', 86_400_000],
];
/** The time until a quota has what a request needs, in milliseconds. It is full after `fullMs`. */
function shareOfReset(needed, remaining, full, fullMs) {
    if (remaining >= needed)
        return 0;
    // Without a limit, the time until one more unit is there is not known.
    const missing = full === undefined ? 1 : (needed - remaining) / Math.max(1, full - remaining);
    return fullMs * Math.min(1, missing);
}
/** Reads a quota. Returns false if the response does not have its fields. */
function read({ header, sentMs, cost, found }, fields) {
    const text = header(fields.remaining);
    const remaining = numberOf(text);
    if (remaining === undefined)
        return text !== undefined;
    const needed = fields.countsRequests ? 1 : cost;
    // The reset matters only if too little is left.
    const fullMs = remaining >= needed ? 0 : (resetMs(header(fields.reset), sentMs()) ?? 0);
    const full = fields.limit === undefined ? undefined : numberOf(header(fields.limit));
    found.push({ remaining, resetMs: shareOfReset(needed, remaining, full, fullMs) });
    return true;
}
/**
 * The quotas that a response reports. Most report none, so only a few fields are looked up in every response.
 *
 * @param sentMs returns when the response was sent, in milliseconds since 1970
 * @param cost the tokens that a request needs of a quota that counts tokens; of one that counts requests it needs one
 * @param isRefusal true to look for every unit: a refusal may report only the one that is used up
 */
function quotasOf(header, sentMs, cost = 1, isRefusal = false) {
    const found = [];
    const reading = { header, sentMs, cost, found };
    const field = header('ratelimit')?.trim();
    if (field !== undefined && field.length <= LONGEST_FIELD) {
        found.push(...(/^[a-z]+=/i.test(field) ? fromDictionary(field) : fromList(field)));
    }
    for (const fields of WINDOWS)
        read(reading, fields);
    for (const { present, others } of FAMILIES) {
        let isSent = isRefusal;
        for (const fields of present)
            isSent = read(reading, fields) || isSent;
        if (!isSent)
            continue;
        for (const fields of others)
            read(reading, fields);
    }
    if (header('via')?.includes('kong')) {
        for (const [name, windowMs] of KONG_WINDOWS_MS) {
            const remaining = numberOf(header(name));
            if (remaining !== undefined)
                found.push(inWindow(remaining, windowMs - (sentMs() % windowMs)));
        }
    }
    return found;
}
//# sourceMappingURL=quota-fields.js.map