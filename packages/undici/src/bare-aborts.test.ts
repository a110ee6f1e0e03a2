import { once } from 'node:events';
import type { Dispatcher } from 'undici';
import { dispatch, errorText, LoggingHandler } from '../test/bare.ts';
import {
  abortIn,
  behavesAsBare,
  broken,
  enough,
  fail,
  later,
  methods,
  one,
  type Row,
  type Setting,
  turns,
  upload,
} from '../test/scenarios.ts';

const abortLater = (reason: unknown) => (controller: Dispatcher.DispatchController) =>
  later(() => controller.abort(reason as Error));

const rows: readonly Row[] = [
  ...methods.flatMap(
    (method) =>
      [
        [`an abort in ${method}`, one({}, abortIn(method))],
        [
          `an abort in ${method}, with a handler that throws`,
          one({}, abortIn(method, { onResponseError: fail })),
        ],
      ] as const,
  ),
  ['an abort without a reason', one({ path: '/never' }, { onRequestStart: abortLater(undefined) })],
  ['an abort from setImmediate', one({ path: '/never' }, { onRequestStart: abortLater(enough) })],
  [
    'an abort from setImmediate, with a handler that throws',
    one({ path: '/never' }, { onRequestStart: abortLater(enough), onResponseError: fail }),
  ],
  [
    'an abort from setImmediate in the body, with a handler that throws',
    one({ path: '/slow-body' }, { onResponseData: abortLater(enough), onResponseError: fail }),
  ],
  [
    'two aborts',
    one(
      { path: '/never' },
      {
        onRequestStart: (controller) =>
          later(() => {
            controller.abort(enough);
            controller.abort(broken);
          }),
      },
    ),
  ],
  ['an abort in onBodySent', one({ method: 'PUT', body: 'hello' }, { onRequestStart: abortLater(enough) })],
  [
    'pause and resume',
    one(
      {},
      {
        onResponseStart: (controller) => {
          controller.pause();
          later(() => controller.resume());
        },
      },
    ),
  ],
  [
    'pause at the start, and resume',
    one(
      {},
      {
        onRequestStart: (controller) => controller.pause(),
        onResponseStart: (controller) => later(() => controller.resume()),
      },
    ),
  ],
  [
    'a pause, and an abort',
    one(
      {},
      {
        onResponseStart: (controller) => {
          controller.pause();
          later(() => controller.abort(enough));
        },
      },
    ),
  ],

  // Uploads.
  ...(['dispatch', 'request', 'stream', 'pipeline'] as const).map(
    (how) =>
      [
        `an upload by ${how} that is aborted`,
        async ({ undici, dispatcher, log, get, origin }: Setting) => {
          const body = upload(log);
          const abort = new AbortController();
          const options = { method: 'PUT', body, signal: abort.signal, dispatcher };
          const url = `${origin}/never`;
          // Its first part has gone out.
          body.once('data', () => later(() => abort.abort(enough)));
          if (how === 'dispatch') {
            const handler = new LoggingHandler(log);
            body.once('data', () => later(() => handler.controller?.abort(enough)));
            dispatch(dispatcher, log, { ...get, path: '/never', method: 'PUT', body }, handler);
            await once(body, 'close');
          } else if (how === 'request') {
            await undici.request(url, options as never).catch((error) => log.push(errorText(error)));
          } else if (how === 'stream') {
            await undici
              .stream(url, options as never, () => fail())
              .catch((error: unknown) => log.push(errorText(error)));
          } else {
            const { body: _, ...rest } = options;
            const duplex = undici.pipeline(url, rest as never, ({ body }) => body);
            duplex.on('error', (error) => log.push(`pipeline ${errorText(error)}`));
            duplex.write('part');
            dispatcher.once('connect', () => void turns(5).then(() => abort.abort(enough)));
            await new Promise((resolve) => duplex.once('close', resolve));
          }
        },
      ] as const,
  ),
  ...(['an abort beforehand', 'an abort in the same turn'] as const).map(
    (when) =>
      [
        `an upload by request, and ${when}`,
        async ({ undici, dispatcher, log, origin }: Setting) => {
          const body = upload(log);
          const abort = new AbortController();
          if (when === 'an abort beforehand') abort.abort(enough);
          const sent = undici.request(`${origin}/never`, {
            method: 'PUT',
            body,
            signal: abort.signal,
            dispatcher,
          });
          abort.abort(enough);
          await sent.catch((error: unknown) => log.push(errorText(error)));
        },
      ] as const,
  ),
  [
    'an upload that breaks',
    async ({ dispatcher, log, get }) => {
      const body = upload(log);
      const handler = new LoggingHandler(log);
      body.once('data', () => later(() => body.destroy(broken)));
      dispatch(dispatcher, log, { ...get, path: '/never', method: 'PUT', body }, handler);
      await handler.over;
    },
  ],
  [
    'an upload to a server that hangs up',
    async ({ dispatcher, log, get }) => {
      const body = upload(log);
      const handler = new LoggingHandler(log);
      dispatch(dispatcher, log, { ...get, path: '/hang-up', method: 'PUT', body }, handler);
      await handler.over;
    },
  ],
];

behavesAsBare(rows);
