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
  upload,
} from '../test/scenarios.ts';

const paths = 'plain empty failing hints trailers close short reset hang-up nonsense'.split(' ');
const put = { method: 'PUT', body: 'hello' };
const never = { path: '/never' };

const rows: readonly Row[] = [
  ...paths.map((path): Row => [`GET /${path}`, one({ path: `/${path}` })]),
  ...['PUT', 'POST', 'DELETE'].map((method): Row => [method, one({ ...put, method })]),
  ['HEAD', one({ method: 'HEAD', path: '/head' })],
  ['a body of a Buffer', one({ ...put, body: Buffer.from('hello') })],
  ['a body of chunks', one({ ...put, body: ['a', 'b'] })],
  [
    'a body that was destroyed',
    async (setting) => one({ ...put, body: upload(setting.log).destroy(broken) })(setting),
  ],
  [
    'an early response',
    async (setting) => {
      const body = upload(setting.log);
      const closed = once(body, 'close');
      await one({ ...put, path: '/early', body })(setting);
      await closed;
    },
  ],
  ['expect-continue', one({ ...put, expectContinue: true })],
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
  ...[1, 2].map(
    (count): Row => [
      `a dispatcher that is destroyed under a request, with ${count - 1} in its queue`,
      async ({ dispatcher, log, get }) => {
        const onRequestStart = () => later(() => void dispatcher.destroy(enough));
        const all = [new LoggingHandler(log, { onRequestStart }, '1 '), new LoggingHandler(log, {}, '2 ')];
        const handlers = all.slice(0, count);
        for (const handler of handlers) dispatch(dispatcher, log, { ...get, ...never }, handler);
        await Promise.all(handlers.map(({ over }) => over));
      },
      { connections: 1 },
    ],
  ),
];

const timeouts: readonly Row[] = [
  ['headersTimeout', one({ ...never, headersTimeout: 5 })],
  ['bodyTimeout', one({ path: '/slow-body', bodyTimeout: 5 })],
];

behavesAsBare(rows);
behavesAsBareConcurrently(timeouts);
