import { once } from 'node:events';
import { dispatch, LoggingHandler } from '../test/bare.ts';
import {
  behavesAsBare,
  behavesAsBareConcurrently,
  broken,
  enough,
  fail,
  later,
  one,
  type Row,
  type Setting,
  upload,
} from '../test/scenarios.ts';

const paths = [
  'plain',
  'empty',
  'failing',
  'hints',
  'trailers',
  'close',
  'short',
  'reset',
  'hang-up',
  'nonsense',
];
const rows: readonly Row[] = [
  ...paths.map((path) => [`GET /${path}`, one({ path: `/${path}` })] as const),
  ...['PUT', 'POST', 'DELETE'].map((method) => [`${method}`, one({ method, body: 'hello' })] as const),
  ['HEAD', one({ method: 'HEAD', path: '/head' })],
  ['a body of a Buffer', one({ method: 'PUT', body: Buffer.from('hello') })],
  ['a body of chunks', one({ method: 'PUT', body: ['a', 'b'] })],
  [
    'a body that was destroyed',
    (setting) => one({ method: 'PUT', body: upload(setting.log).destroy(broken) })(setting),
  ],
  [
    'an early response',
    async (setting) => {
      const body = upload(setting.log);
      const closed = once(body, 'close');
      await one({ method: 'PUT', path: '/early', body })(setting);
      await closed;
    },
  ],
  ['expect-continue', one({ method: 'PUT', body: 'hello', expectContinue: true })],
  ['reset', one({ reset: true })],
  ['blocking', one({ blocking: false, idempotent: false })],
  [
    'a dispatcher that is closed',
    async ({ dispatcher, log, get }) => {
      await dispatcher.close();
      dispatch(dispatcher, log, get, new LoggingHandler(log));
      dispatch(dispatcher, log, get, new LoggingHandler(log, { onResponseError: fail }));
    },
  ],
  [
    'a dispatcher that is destroyed under a request',
    async ({ dispatcher, log, get }) => {
      const handler = new LoggingHandler(log, {
        onRequestStart: () => later(() => void dispatcher.destroy(enough)),
      });
      dispatch(dispatcher, log, { ...get, path: '/never' }, handler);
      await handler.over;
    },
  ],
  [
    'a request queued in a dispatcher that is destroyed',
    async ({ dispatcher, log, get }) => {
      const first = new LoggingHandler(
        log,
        { onRequestStart: () => later(() => void dispatcher.destroy(enough)) },
        '1 ',
      );
      const second = new LoggingHandler(log, {}, '2 ');
      dispatch(dispatcher, log, { ...get, path: '/never' }, first);
      dispatch(dispatcher, log, { ...get, path: '/never' }, second);
      await Promise.all([first.over, second.over]);
    },
    { connections: 1 },
  ],
  [
    'close waits for requests under way',
    async ({ dispatcher, log, get }) => {
      const handler = new LoggingHandler(log);
      dispatch(dispatcher, log, get, handler);
      await dispatcher.close();
      log.push('closed');
      await handler.over;
    },
  ],
  ...[1, 2].map(
    (pipelining) =>
      [
        `five at a time, pipelining ${pipelining}`,
        async ({ dispatcher, log, get }: Setting) => {
          const all = Array.from({ length: 5 }, (_, index) => new LoggingHandler(log, {}, `${index} `));
          for (const [index, handler] of all.entries()) {
            dispatch(dispatcher, log, { ...get, path: index === 2 ? '/short' : '/plain' }, handler);
          }
          await Promise.all(all.map(({ over }) => over));
        },
        { pipelining, connections: 1 },
      ] as const,
  ),
  [
    'an invalid request between others',
    async ({ dispatcher, log, get }) => {
      const [first, second] = [new LoggingHandler(log, {}, '1 '), new LoggingHandler(log, {}, '2 ')];
      dispatch(dispatcher, log, get, first);
      dispatch(dispatcher, log, { ...get, path: 'wrong' }, new LoggingHandler(log, {}, 'wrong '));
      dispatch(dispatcher, log, get, second);
      await Promise.all([first.over, second.over]);
    },
  ],
];

const timeouts: readonly Row[] = [
  ['headersTimeout', one({ path: '/never', headersTimeout: 5 })],
  ['bodyTimeout', one({ path: '/slow-body', bodyTimeout: 5 })],
];

behavesAsBare(rows);
behavesAsBareConcurrently(timeouts);
