import type { Row, Sdk } from './sdk.ts';

/** The timeout of a row in which the upstream does not respond, in milliseconds. */
const TIMEOUT_MS = 1_000;

/** The first answers that every SDK gets. */
function commonRows({ error }: Sdk): Row[] {
  const reply = (status: number, headers: Record<string, string> = {}): Row['answer'] => ({
    status,
    headers,
    body: error(status),
  });
  const dated = (status: number): Row['answer'] => {
    return (nowMs) => {
      const date = new Date(nowMs + 4_000).toUTCString();
      return { status, headers: { 'retry-after': date }, body: error(status) };
    };
  };
  const again = (name: string, answer: Row['answer'], askedMs?: number): Row => {
    return { name, answer, wanted: 'again', ...(askedMs === undefined ? {} : { askedMs }) };
  };
  return [
    again('503', reply(503)),
    again('500', reply(500)),
    again('529', reply(529)),
    again('408', reply(408)),
    again('409', reply(409)),
    again('a reset', 'reset'),
    again('503, `Retry-After: 2`', reply(503, { 'retry-after': '2' }), 2_000),
    again('503, a date in 4 s', dated(503), 4_000),
    again('429', reply(429)),
    again('429, `Retry-After: 0`', reply(429, { 'retry-after': '0' }), 0),
    again('429, `Retry-After: 2`', reply(429, { 'retry-after': '2' }), 2_000),
    again('429, `Retry-After: 1.5`', reply(429, { 'retry-after': '1.5' }), 1_500),
    again('429, a date in 4 s', dated(429), 4_000),
    again('429, `Retry-After: 61`', reply(429, { 'retry-after': '61' }), 61_000),
    again('429, `retry-after-ms: 300`', reply(429, { 'retry-after-ms': '300' }), 300),
  ];
}

/** The rows of an SDK. */
export function rowsOf(sdk: Sdk): Row[] {
  const { verdictHeader, hasTimeout, error } = sdk;
  const rows = commonRows(sdk);
  if (hasTimeout) {
    const name = `no response within ${TIMEOUT_MS / 1000} s`;
    rows.push({ name, answer: 'hang', wanted: 'again', timeoutMs: TIMEOUT_MS });
  }
  if (verdictHeader !== undefined) {
    const says = (status: number, verdict: string, wanted: Row['wanted']): Row => {
      const answer = { status, headers: { [verdictHeader]: verdict }, body: error(status) };
      return { name: `${status}, \`${verdictHeader}: ${verdict}\``, answer, wanted };
    };
    rows.push(says(400, 'true', 'again'), says(503, 'false', 'once'));
  }
  return [...rows, ...sdk.rows];
}
