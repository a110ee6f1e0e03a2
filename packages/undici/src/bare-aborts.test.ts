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
  upload,
} from '../test/scenarios.ts';

type Controller = Dispatcher.DispatchController;

const abortLater = (reason: unknown) => (controller: Controller) =>
  later(() => controller.abort(reason as Error));
const resumeLater = (controller: Controller) => later(() => controller.resume());
const pause = (controller: Controller) => controller.pause();
const pauseAnd = (then: (controller: Controller) => unknown) => (controller: Controller) => {
  pause(controller);
  then(controller);
};
const abortTwice = (controller: Controller) =>
  later(() => {
    controller.abort(enough);
    controller.abort(broken);
  });

const never = { path: '/never' };
const put = { method: 'PUT', body: 'hello' };
const throwing = { onResponseError: fail };

/** Sends an upload in each way of undici, and aborts once its first part has gone out. */
const uploads: Readonly<Record<string, (setting: Setting, abort: AbortController) => unknown>> = {
  async dispatch({ dispatcher, log, get }) {
    const body = upload(log);
    const handler = new LoggingHandler(log, {
      onRequestStart: (controller) => body.once('data', () => later(() => controller.abort(enough))),
    });
    dispatch(dispatcher, log, { ...get, ...never, method: 'PUT', body }, handler);
    await once(body, 'close');
  },
  async request({ undici, dispatcher, log, origin }, abort) {
    const body = upload(log).once('data', () => later(() => abort.abort(enough)));
    const sent = undici.request(`${origin}/never`, { method: 'PUT', body, signal: abort.signal, dispatcher });
    await sent.catch((error: unknown) => log.push(errorText(error)));
  },
};

const rows: readonly Row[] = [
  ...methods.flatMap((method): Row[] => [
    [`an abort in ${method}`, one({}, abortIn(method))],
    [`an abort in ${method}, with a handler that throws`, one({}, abortIn(method, throwing))],
  ]),
  ['an abort without a reason', one(never, { onRequestStart: abortLater(undefined) })],
  ['an abort from setImmediate', one(never, { onRequestStart: abortLater(enough) })],
  [
    'an abort from setImmediate, with a handler that throws',
    one(never, { onRequestStart: abortLater(enough), ...throwing }),
  ],
  [
    'an abort from setImmediate in the body, with a handler that throws',
    one({ path: '/slow-body' }, { onResponseData: abortLater(enough), ...throwing }),
  ],
  ['two aborts', one(never, { onRequestStart: abortTwice })],
  ['an abort in onBodySent', one(put, { onRequestStart: abortLater(enough) })],
  ['pause and resume', one({}, { onResponseStart: pauseAnd(resumeLater) })],
  ['pause at the start, and resume', one({}, { onRequestStart: pause, onResponseStart: resumeLater })],
  ['a pause, and an abort', one({}, { onResponseStart: pauseAnd(abortLater(enough)) })],
  ...Object.entries(uploads).map(
    ([how, send]): Row => [
      `an upload by ${how} that is aborted`,
      async (setting) => send(setting, new AbortController()),
    ],
  ),
  ...['an abort beforehand', 'an abort in the same turn'].map(
    (when): Row => [
      `an upload by request, and ${when}`,
      async ({ undici, dispatcher, log, origin }) => {
        const abort = new AbortController();
        if (when === 'an abort beforehand') abort.abort(enough);
        const options = { method: 'PUT', body: upload(log), signal: abort.signal, dispatcher } as const;
        const sent = undici.request(`${origin}/never`, options);
        abort.abort(enough);
        await sent.catch((error: unknown) => log.push(errorText(error)));
      },
    ],
  ),
  [
    'an upload that breaks',
    async (setting) => {
      const body = upload(setting.log);
      body.once('data', () => later(() => body.destroy(broken)));
      await one({ ...never, method: 'PUT', body })(setting);
    },
  ],
  [
    'an upload to a server that hangs up',
    async (setting) => one({ path: '/hang-up', method: 'PUT', body: upload(setting.log) })(setting),
  ],
];

behavesAsBare(rows);
