import type { Complaint } from './oracle.ts';
import type { Played } from './play.ts';
import { OWN_SECRET, SECRET } from './policy.ts';
import type { Seen } from './record.ts';

const IDEMPOTENT = /^(GET|HEAD|OPTIONS|PUT|DELETE|TRACE|QUERY)$/;

/** True if the server has said that it did nothing. */
function isRefused({ served }: Seen): boolean {
  return served?.status === 429 || served?.status === 403 || served?.status === 413;
}

/** What may not be repeated is repeated only after a refusal. */
function* judgeRepeats({ of, seen }: Played): Iterable<Complaint> {
  if (of.parts.methods === 'all') return;
  for (const [number, plan] of of.calls.entries()) {
    const earlier = new Map<string, Seen>();
    for (const one of seen.filter(({ call }) => call === number)) {
      if (IDEMPOTENT.test(one.method) || one.headers['idempotency-key'] !== undefined) continue;
      const key = `${one.method} ${one.hop} ${one.at}`;
      const before = earlier.get(key);
      if (before !== undefined && !isRefused(before))
        yield {
          rule: 'repeated',
          detail: `call ${number}: ${plan.method} (hop ${one.hop}) again after ${before.step.do} ${before.served?.status ?? ''}`,
        };
      earlier.set(key, one);
    }
  }
}

/** What a server sees of a body is the whole of it, or the client has broken the connection. */
function* judgeUploads({ of, seen, bodies }: Played): Iterable<Complaint> {
  for (const one of seen) {
    const body = bodies[one.call];
    const plan = of.calls[one.call];
    if (body === undefined || plan === undefined || !one.isWhole) continue;
    // A redirect has changed the method, or asks for the rest.
    if (one.method !== plan.method) continue;
    const got = Buffer.concat(one.body);
    const isSame = body.bytes === undefined ? got.includes(body.text) : got.equals(body.bytes);
    if (!isSame)
      yield {
        rule: 'upload',
        detail: `call ${one.call}: ${plan.method} ${plan.body} has ${got.length} bytes in request ${one.index}: ${got.toString('latin1', 0, 40)}`,
      };
  }
}

/** A redirect to another origin does not take the credential of the caller along. */
function* judgeOwnCredentials({ of, seen }: Played): Iterable<Complaint> {
  for (const { at, headers, call, hop } of seen) {
    const plan = of.calls[call];
    if (plan !== undefined && at !== plan.to && headers.authorization === OWN_SECRET)
      yield { rule: 'credential', detail: `call ${call}: that of the caller at another origin, hop ${hop}` };
  }
}

/** What hooks return goes to trusted origins alone. */
function* judgeCredentials({ of, seen, urls }: Played): Iterable<Complaint> {
  const { hook, redirects } = of.parts;
  if (hook === undefined || hook.trusts === 'all') return;
  for (const { at, headers, call, hop } of seen) {
    if (at === 'a' && hook.trusts !== 'no one') continue;
    // A client carries other headers than those that it knows along with its redirects, as the page says.
    const isFollowedBelow = hop > 0 && redirects !== 'above';
    const names = isFollowedBelow ? ['authorization'] : ['authorization', 'x-secret'];
    for (const name of names) {
      if (headers[name] === SECRET)
        yield { rule: 'credential', detail: `call ${call}: ${name} at ${urls[at]}, hop ${hop}` };
    }
  }
}

/** Nothing is sent more often than the policy allows. */
function* judgeCount({ of, seen }: Played): Iterable<Complaint> {
  const { maxRetries, hedge, isResuming } = of.parts;
  const perAttempt = 1 + (hedge?.max ?? 0);
  for (const number of of.calls.keys()) {
    const counts = new Map<string, number>();
    for (const { call, hop, headers } of seen) {
      const asksForRest = headers.range !== undefined || headers['last-event-id'] !== undefined;
      if (call !== number || asksForRest) continue;
      const key = `hop ${hop}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const most = (maxRetries + 1) * perAttempt + (isResuming ? 6 : 0);
    for (const [key, count] of counts) {
      if (count > most)
        yield { rule: 'too many', detail: `call ${number}: ${count} requests of ${key}, at most ${most}` };
    }
  }
}

/** After its abort a call begins no attempt. */
function* judgeAborts({ of, results, probe }: Played): Iterable<Complaint> {
  // Then the events are those of two layers: an attempt of the outer one is one of the inner one as well.
  if (of.parts.layer === 'same') return;
  for (const [number, { eventsBefore, plan }] of results.entries()) {
    // Only of what was aborted before its result: a body that breaks later is another matter.
    if (eventsBefore === undefined || !plan.isSignalled || plan.abortAt === 'before') continue;
    const late = probe.events.slice(eventsBefore).filter(({ type, request }) => {
      return type === 'attempt' && request.url.endsWith(`/c${number}`);
    });
    if (late.length > 0)
      yield { rule: 'sent after abort', detail: `call ${number}: ${late.length} attempts after its abort` };
  }
}

export function* judgeRequests(played: Played): Iterable<Complaint> {
  yield* judgeRepeats(played);
  yield* judgeUploads(played);
  yield* judgeOwnCredentials(played);
  yield* judgeCredentials(played);
  yield* judgeCount(played);
  yield* judgeAborts(played);
}
