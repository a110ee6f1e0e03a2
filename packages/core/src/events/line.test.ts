import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EbbEvent } from './events.ts';
import { isNamed, lineOf } from './line.ts';

test.each([
  ['ebb', true],
  ['http,ebb', true],
  ['http, EBB ,net', true],
  ['*', true],
  ['app:* ebb', true],
  ['ebbing', false],
  ['-ebb', false],
  ['http', false],
  ['', false],
  [undefined, false],
  [5, false],
])('%j names ebb: %s', (list, named) => {
  expect(isNamed(list)).toBe(named);
});

const START = 'GET https://a.test/things'.padEnd(41);
const request = { method: 'GET', url: 'https://a.test/things' };
const refused = { type: 'response', status: 503 } as const;
const reset = { type: 'failure', kind: 'network', code: 'ECONNRESET' } as const;
const atMs = Date.UTC(2026, 0, 1, 9, 30, 15, 250);
test.each<[fields: object, rest: string]>([
  [{ type: 'attempt' }, '2  attempt'],
  [{ type: 'wait', waitedMs: 1_500, slotMs: 0 }, '2  wait             waitedMs=1500 slotMs=0'],
  [{ type: 'attempt-skipped', delayMs: undefined }, '2  attempt-skipped'],
  [
    { type: 'throttle', state: 'half-open', level: 0.3, failures: ['503', 'timeout'] },
    '2  throttle         state=half-open level=0.3 failures=503,timeout',
  ],
  [
    { type: 'retry', delayMs: 12, reason: 'transient', outcome: refused },
    '2  retry            delayMs=12 reason=transient type=response status=503',
  ],
  [
    { type: 'nested-retries', library: 'openai', header: 'x-stainless-retry-count' },
    '2  nested-retries   library=openai header=x-stainless-retry-count',
  ],
  [
    { type: 'resume', reason: 'broken', outcome: reset },
    '2  resume           reason=broken type=failure kind=network code=ECONNRESET',
  ],
  [
    { type: 'end', reason: 'final', outcome: undefined, error: { name: 'HookError', hook: 'cost' } },
    '2  end              reason=final name=HookError hook=cost',
  ],
])('%j', (fields, rest) => {
  const event = { request, attempt: 2, atMs, ...fields } as EbbEvent;
  expect(lineOf(event)).toBe(`09:30:15.250  ${START}${rest}`);
});

test.each([
  [
    { request: { method: 'GET', url: '/a\nEBB 1: \u001b[2J' } },
    `09:30:15.250  ${'GET /a?EBB 1: ?[2J'.padEnd(40)} 1  attempt`,
  ],
  [
    { request: { method: 'DELETE', url: `https://a.test/${'x'.repeat(30)}` } },
    `09:30:15.250  DELETE https://a.test/${'x'.repeat(30)} 1  attempt`,
  ],
  [{ atMs: 1e20 }, `undefined  ${START}1  attempt`],
])('%j', (part, line) => {
  expect(lineOf({ type: 'attempt', request, attempt: 1, atMs, ...part })).toBe(line);
});

/** What starts another line, moves the cursor, or changes how a line reads: all that a terminal does not show as one character. */
const CONTROLS =
  '\0\b\t\n\v\f\r\u001b\u007f\u0085\u009b\u00ad\u200b\u200e\u2028\u2029\u202e\u2066\ufeff\u{e0001}';

test('any text is one line that a terminal shows as it is', () => {
  const unit = fc.nat({ max: 0x10ffff }).map((code) => String.fromCodePoint(code));
  const text = fc.string({ unit: fc.oneof(fc.constantFrom(...CONTROLS), unit), maxLength: 20 });
  fc.assert(
    fc.property(text, text, text, (method, url, code) => {
      const error = { name: 'Error', code };
      const event = { type: 'end', request: { method, url }, attempt: 1, atMs, reason: 'final', error };
      expect(lineOf(event as unknown as EbbEvent)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    }),
  );
});
