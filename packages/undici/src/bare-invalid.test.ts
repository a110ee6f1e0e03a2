import { dispatch, LoggingHandler } from '../test/bare.ts';
import { behavesAsBare, type Row, type Setting, turns } from '../test/scenarios.ts';

/** Headers whose iterator is new in each run of a scenario. */
function iterable(pairs: readonly unknown[]): Iterable<unknown> {
  return { [Symbol.iterator]: () => pairs.values() };
}

const rows: readonly Row[] = [
  ...[
    { path: 'no-slash' },
    { path: '/a b' },
    { path: 1 },
    { method: 'G E T' },
    { method: 1 },
    { headers: ['odd'] },
    { headers: 'text' },
    { headers: { 'transfer-encoding': 'chunked' } },
    { headers: { a: {} } },
    { headers: { expect: '100-continue' } },
    { headers: new Map([['content-length', 'x']]) },
    { headers: iterable([['a']]) },
    { headers: iterable(['text']) },
    { headers: iterable([['a', 'b', 'c']]) },
    { headers: { 'content-length': '99' }, method: 'PUT', body: 'short' },
    { body: {} },
    { body: 1 },
    { upgrade: 1 },
    { headersTimeout: -1 },
    { bodyTimeout: 'long' },
    { throwOnError: true },
    { maxRedirections: 1 },
    { dispatcher: {} },
    { origin: 1 },
    { reset: 1 },
    { expectContinue: 1 },
  ].map(
    (options) =>
      [
        `wrong options ${Object.entries(options)}`,
        async ({ dispatcher, log, get }: Setting) => {
          dispatch(dispatcher, log, { ...get, ...options }, new LoggingHandler(log));
          await turns(100);
        },
      ] as const,
  ),
  ...[undefined, null, 'text', 1].map(
    (none) =>
      [
        `${none} for options, and for the handler`,
        async ({ dispatcher, log, get }: Setting) => {
          dispatch(dispatcher, log, none, new LoggingHandler(log));
          dispatch(dispatcher, log, get, none);
          await turns();
        },
      ] as const,
  ),
  ...['onRequestStart', 'onResponseError'].flatMap((name) =>
    [undefined, 'text'].map(
      (value) =>
        [
          `a handler with ${value} for ${name}`,
          async ({ dispatcher, log, get }: Setting) => {
            const handler = Object.assign(new LoggingHandler(log), { [name]: value });
            dispatch(dispatcher, log, get, handler);
            await turns(200);
          },
        ] as const,
    ),
  ),
];

behavesAsBare(rows);
