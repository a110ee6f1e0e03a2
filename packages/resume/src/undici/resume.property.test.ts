import { constant } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/runs.ts';
import { resumingInterceptor } from '../../../undici/test/relay.ts';
import { HandlerSpy, Wire } from '../../../undici/test/wire.ts';

/** How a server responds to one request: where it breaks off, and which headers are wrong. */
const conduct = fc.record({
  breaksAfter: fc.option(fc.nat(40), { nil: undefined }),
  status: fc.constantFrom(206, 206, 206, 206, 200, 503),
  etag: fc.constantFrom('"a"', '"a"', '"a"', '"b"', 'W/"a"'),
  shift: fc.constantFrom(0, 0, 0, 0, 1, -1),
  stretch: fc.constantFrom(0, 0, 0, 0, 1, -1),
  whole: fc.constantFrom('right', 'right', '*', 'wrong'),
  hasLength: fc.boolean(),
});

test('for any behaviour of the server the handler gets the whole body or an error, and never a wrong byte', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme-ascii' }),
      fc.array(conduct, { maxLength: 8 }),
      async (body, conducts) => {
        const wire = new Wire();
        const spy = new HandlerSpy();
        const headers = { etag: '"a"', 'content-length': String(body.length) };
        const dispatch = resumingInterceptor({ backoff: constant(0), maxRetries: 9 })(wire.dispatch);
        dispatch({ origin: 'http://upstream.test', path: '/', method: 'GET' }, spy);
        const failure = Object.assign(new Error('broken'), { code: 'ECONNRESET' });
        const first = conducts[0]?.breaksAfter ?? body.length;
        wire.attempt(1).start().head(200, headers).data(body.slice(0, first)).fail(failure);
        for (let number = 2; ; number += 1) {
          for (let turn = 0; turn < 3; turn += 1) await nextTurn();
          if (wire.attempts.length < number) break;
          const attempt = wire.attempt(number);
          const [, from, to] = /bytes=(\d+)-(\d+)/.exec(JSON.stringify(attempt.options.headers)) ?? [];
          const { breaksAfter, status, etag, shift, stretch, whole, hasLength } = conducts[number - 1] ?? {
            breaksAfter: undefined,
            status: 206,
            etag: '"a"',
            shift: 0,
            stretch: 0,
            whole: 'right',
            hasLength: true,
          };
          const start = Math.max(0, Number(from) + shift);
          const end = Number(to) + stretch;
          const sizes: Record<string, unknown> = { right: body.length, wrong: body.length + 1, '*': '*' };
          const part = body.slice(start, end + 1);
          attempt.start().head(status, {
            etag,
            'content-range': `bytes ${start}-${end}/${sizes[whole]}`,
            ...(hasLength && { 'content-length': String(part.length) }),
          });
          // An aborted connection has no more events.
          if (attempt.connection.aborted) continue;
          attempt.data(part.slice(0, breaksAfter));
          if (breaksAfter === undefined || breaksAfter >= part.length) attempt.end();
          else attempt.fail(failure);
        }
        const data = spy.calls.filter((line) => line.startsWith('data ')).map((line) => line.slice(5));
        const isWhole = spy.calls.at(-1) === 'end {}';
        expect(body.startsWith(data.join(''))).toBe(true);
        if (isWhole) expect(data.join('')).toBe(body);
        else expect(spy.error).toBe(failure);
        const ends = spy.calls.filter((line) => line.startsWith('end') || line.startsWith('error'));
        expect(ends).toHaveLength(1);
        expect(spy.calls.filter((line) => line.startsWith('head'))).toEqual(['head 200']);
      },
    ),
    { numRuns: runs(300) },
  );
});
