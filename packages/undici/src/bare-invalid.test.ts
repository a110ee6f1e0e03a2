import { dispatch, LoggingHandler } from '../test/bare.ts';
import { behavesAsBare, type Row, turns } from '../test/scenarios.ts';

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
    (options): Row => [
      `wrong options ${Object.entries(options)}`,
      async ({ dispatcher, log, get }) => {
        dispatch(dispatcher, log, { ...get, ...options }, new LoggingHandler(log));
        await turns(100);
      },
    ],
  ),
  ...[undefined, null, 'text', 1].map(
    (none): Row => [
      `${none} for options, and for the handler`,
      async ({ dispatcher, log, get }) => {
        dispatch(dispatcher, log, none, new LoggingHandler(log));
        dispatch(dispatcher, log, get, none);
        await turns();
      },
    ],
  ),
  ...['onRequestStart', 'onResponseError'].flatMap((name) =>
    [undefined, 'text'].map(
      (value): Row => [
        `a handler with ${value} for ${name}`,
        async ({ dispatcher, log, get }) => {
          dispatch(dispatcher, log, get, Object.assign(new LoggingHandler(log), { [name]: value }));
          await turns(200);
        },
      ],
    ),
  ),
];

behavesAsBare(rows);
