import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { tokenBucket } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import {
  type Acts,
  dispatch,
  errorText,
  type Log,
  Witness,
  watchEvents,
  withUncaught,
} from '../test/bare.ts';
import { versions } from '../test/clients.ts';
import { rawUpstream } from '../test/upstream.ts';
import { ebbInterceptor } from './index.ts';

type Undici = (typeof versions)[string];
type Kind = 'Client' | 'Pool' | 'Agent';

/** What a scenario has to work with. */
interface Setting {
  readonly undici: Undici;
  readonly dispatcher: Dispatcher;
  readonly origin: string;
  readonly log: Log;
  readonly get: Readonly<Record<string, unknown>>;
}

type Scenario = (setting: Setting) => Promise<unknown>;

async function turns(count = 12): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}

const broken = new Error('broken');
const enough = new Error('enough');
const fail = (): never => {
  throw broken;
};

const ok = (body: string, fields = ''): string =>
  `HTTP/1.1 200 OK\r\n${fields}content-length: ${body.length}\r\n\r\n${body}`;

/** A list of headers that can be read once in each run, and not only in the first. */
function iterable(pairs: readonly unknown[]): Iterable<unknown> {
  return { [Symbol.iterator]: () => pairs.values() };
}

/** Answers by the path that is asked for. */
function serve(socket: Socket, head: string): void {
  const path = head.split(' ')[1];
  if (head.startsWith('CONNECT')) socket.write('HTTP/1.1 200 Connected\r\nx-a: b\r\n\r\n');
  else if (path === '/plain') socket.write(ok('hello', 'x-a: b\r\nset-cookie: c=1\r\nset-cookie: d=2\r\n'));
  else if (path === '/head') socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n');
  else if (path === '/empty') socket.write('HTTP/1.1 204 No Content\r\n\r\n');
  else if (path === '/failing') socket.write('HTTP/1.1 503 Away\r\ncontent-length: 4\r\n\r\nlong');
  else if (path === '/hints') {
    socket.write(
      `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${ok('hello')}`,
    );
  } else if (path === '/trailers') {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: sum\r\n\r\n');
    socket.write('5\r\nhello\r\n0\r\nsum: 1\r\n\r\n');
  } else if (path === '/close') socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhello');
  else if (path === '/short') socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello');
  else if (path === '/reset') socket.resetAndDestroy();
  else if (path === '/hang-up') socket.end();
  else if (path === '/nonsense') socket.end('nonsense\r\n\r\n');
  else if (path === '/upgrade') {
    socket.write('HTTP/1.1 101 Switching\r\nupgrade: echo\r\nconnection: upgrade\r\n\r\n');
  } else if (path === '/no-upgrade') socket.write(ok('no'));
  else if (path === '/bad-upgrade') {
    socket.write('HTTP/1.1 101 Switching\r\nupgrade: echo\r\nconnection: upgrade\r\n\r\n');
  } else if (path === '/slow-body') socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello');
  else if (path === '/early') socket.write(ok('early'));
  // What is left, '/never' above all, has no answer.
}

async function play(
  undici: Undici,
  kind: Kind,
  options: object,
  interceptor: Dispatcher.DispatcherComposeInterceptor,
  scenario: Scenario,
): Promise<Log> {
  const log: Log = [];
  await using server = await rawUpstream(serve);
  const { origin } = new URL(server.url);
  const base: Dispatcher =
    kind === 'Agent' ? new undici.Agent(options) : new undici[kind](origin, options as object);
  watchEvents(base, log);
  const setting = {
    undici,
    dispatcher: base.compose(interceptor),
    origin,
    log,
    get: { origin, path: '/plain', method: 'GET' },
  };
  await withUncaught(log, async () => {
    await scenario(setting);
    await turns();
    log.push('destroy');
    await base.destroy();
    await turns();
  });
  return log;
}

/** One request by `dispatch`, to its end as the handler is told it. */
function one(options: object, acts: Acts = {}, after?: (witness: Witness) => unknown): Scenario {
  return async ({ dispatcher, log, get }) => {
    const witness = new Witness(log, acts);
    dispatch(dispatcher, log, { ...get, ...options }, witness);
    after?.(witness);
    await witness.over;
  };
}

function abortIn(method: keyof Acts, more: Acts = {}): Acts {
  return { ...more, [method]: (controller: Dispatcher.DispatchController) => controller.abort(enough) };
}

/** An upload stream whose events are written down. */
function upload(log: Log): Readable {
  let left = 1;
  const stream = new Readable({
    read() {
      if (left-- > 0) this.push('part');
    },
  });
  return stream
    .on('error', (error) => log.push(`upload error ${errorText(error)}`))
    .on('close', () => log.push(`upload close`));
}

const later = (act: () => void): unknown => setImmediate(act);
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
const methods = ['onRequestStart', 'onResponseStart', 'onResponseData', 'onResponseEnd'] as const;
const upgrades = [
  ['an upgrade', { path: '/upgrade', upgrade: 'echo' }],
  ['a CONNECT', { path: 'localhost:80', method: 'CONNECT' }],
] as const;

type Row = readonly [name: string, scenario: Scenario, options?: object];

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

  // What is wrong with the options, and with the handler.
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
          dispatch(dispatcher, log, { ...get, ...options }, new Witness(log, {}, 'a '));
          dispatch(
            dispatcher,
            log,
            { ...get, ...options },
            new Witness(log, { onResponseError: fail }, 'b '),
          );
          await turns(100);
        },
      ] as const,
  ),
  ...[undefined, null, 'text', 1].map(
    (none) =>
      [
        `${none} for options, and for the handler`,
        async ({ dispatcher, log, get }: Setting) => {
          dispatch(dispatcher, log, none, new Witness(log));
          dispatch(dispatcher, log, get, none);
          await turns();
        },
      ] as const,
  ),
  ...['onRequestStart', 'onResponseError', 'onResponseStart', 'onResponseData', 'onResponseEnd'].flatMap(
    (name) =>
      [undefined, 'text'].map(
        (value) =>
          [
            `a handler with ${value} for ${name}`,
            async ({ dispatcher, log, get }: Setting) => {
              const witness = Object.assign(new Witness(log), { [name]: value });
              dispatch(dispatcher, log, get, witness);
              await turns(200);
            },
          ] as const,
      ),
  ),
  ...['onBodySent', 'onRequestSent'].map(
    (name) =>
      [
        `a handler with text for ${name}`,
        async ({ dispatcher, log, get }: Setting) => {
          const witness = Object.assign(new Witness(log), { [name]: 'text' });
          dispatch(dispatcher, log, { ...get, method: 'PUT', body: 'hello' }, witness);
          await turns(200);
        },
      ] as const,
  ),
  ...upgrades.map(
    ([name, options]) =>
      [
        `${name} for a handler without onRequestUpgrade`,
        async ({ dispatcher, log, get }: Setting) => {
          const witness = Object.assign(new Witness(log), { onRequestUpgrade: undefined });
          dispatch(dispatcher, log, { ...get, ...options }, witness);
          await turns(200);
        },
      ] as const,
  ),

  // A handler that throws.
  ...methods.flatMap(
    (method) =>
      [
        [`a handler that throws in ${method}`, one({}, { [method]: fail })],
        [
          `one that throws in ${method} and onResponseError`,
          one({}, { [method]: fail, onResponseError: fail }),
        ],
      ] as const,
  ),
  ['a handler that throws at an informational response', one({ path: '/hints' }, { onResponseStart: fail })],
  [
    'a handler that throws an error of the network',
    one(
      {},
      {
        onResponseStart: () => {
          throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
        },
      },
    ),
  ],
  ...(['onBodySent', 'onRequestSent'] as const).map(
    (method) =>
      [
        `a handler that throws in ${method}`,
        one({ method: 'PUT', body: 'hello' }, { [method]: fail }),
      ] as const,
  ),
  ...['reset', 'nonsense', 'short'].map(
    (path) =>
      [
        `a handler that throws in onResponseError of /${path}`,
        one({ path: `/${path}` }, { onResponseError: fail }),
      ] as const,
  ),
  ...upgrades.flatMap(
    ([name, options]) =>
      [
        [name, one(options)],
        [`${name}, and a handler that throws`, one(options, { onRequestUpgrade: fail })],
        [
          `${name}, and a handler that throws twice`,
          one(options, { onRequestUpgrade: fail, onResponseError: fail }),
        ],
        [`${name}, and a handler that aborts`, one(options, abortIn('onRequestUpgrade'))],
      ] as const,
  ),
  ['an upgrade that is turned down', one({ path: '/no-upgrade', upgrade: 'echo' })],
  ['an upgrade that was not asked for', one({ path: '/bad-upgrade' })],

  // Aborts.
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
  [
    'an abort without a reason',
    one(
      { path: '/never' },
      { onRequestStart: (controller) => later(() => controller.abort(undefined as never)) },
    ),
  ],
  [
    'an abort from setImmediate',
    one({ path: '/never' }, { onRequestStart: (controller) => later(() => controller.abort(enough)) }),
  ],
  [
    'an abort from setImmediate, with a handler that throws',
    one(
      { path: '/never' },
      {
        onRequestStart: (controller) => later(() => controller.abort(enough)),
        onResponseError: fail,
      },
    ),
  ],
  [
    'an abort from setImmediate in the body, with a handler that throws',
    one(
      { path: '/slow-body' },
      {
        onResponseData: (controller) => later(() => controller.abort(enough)),
        onResponseError: fail,
      },
    ),
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
  [
    'an abort in onBodySent',
    one(
      { method: 'PUT', body: 'hello' },
      {
        onRequestStart: (controller) => later(() => controller.abort(enough)),
      },
    ),
  ],
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

  // An upload that is aborted, by each of the interfaces.
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
            const witness = new Witness(log);
            body.once('data', () => later(() => witness.controller?.abort(enough)));
            dispatch(dispatcher, log, { ...get, path: '/never', method: 'PUT', body }, witness);
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
      const witness = new Witness(log);
      body.once('data', () => later(() => body.destroy(broken)));
      dispatch(dispatcher, log, { ...get, path: '/never', method: 'PUT', body }, witness);
      await witness.over;
    },
  ],
  [
    'an upload to a server that hangs up',
    async ({ dispatcher, log, get }) => {
      const body = upload(log);
      const witness = new Witness(log);
      dispatch(dispatcher, log, { ...get, path: '/hang-up', method: 'PUT', body }, witness);
      await witness.over;
    },
  ],

  // Timeouts, the dispatcher's end, several at a time.
  ['headersTimeout', one({ path: '/never', headersTimeout: 5 })],
  ['bodyTimeout', one({ path: '/slow-body', bodyTimeout: 5 })],
  [
    'a dispatcher that is closed',
    async ({ dispatcher, log, get }) => {
      await dispatcher.close();
      dispatch(dispatcher, log, get, new Witness(log));
      dispatch(dispatcher, log, get, new Witness(log, { onResponseError: fail }));
    },
  ],
  [
    'a dispatcher that is destroyed under a request',
    async ({ dispatcher, log, get }) => {
      const witness = new Witness(log, {
        onRequestStart: () => later(() => void dispatcher.destroy(enough)),
      });
      dispatch(dispatcher, log, { ...get, path: '/never' }, witness);
      await witness.over;
    },
  ],
  [
    'a request in the queue of one that is destroyed',
    async ({ dispatcher, log, get }) => {
      const first = new Witness(
        log,
        { onRequestStart: () => later(() => void dispatcher.destroy(enough)) },
        '1 ',
      );
      const second = new Witness(log, {}, '2 ');
      dispatch(dispatcher, log, { ...get, path: '/never' }, first);
      dispatch(dispatcher, log, { ...get, path: '/never' }, second);
      await Promise.all([first.over, second.over]);
    },
    { connections: 1 },
  ],
  [
    'close waits for what is under way',
    async ({ dispatcher, log, get }) => {
      const witness = new Witness(log);
      dispatch(dispatcher, log, get, witness);
      await dispatcher.close();
      log.push('closed');
      await witness.over;
    },
  ],
  ...[1, 2].map(
    (pipelining) =>
      [
        `five at a time, pipelining ${pipelining}`,
        async ({ dispatcher, log, get }: Setting) => {
          const all = Array.from({ length: 5 }, (_, index) => new Witness(log, {}, `${index} `));
          for (const [index, witness] of all.entries()) {
            dispatch(dispatcher, log, { ...get, path: index === 2 ? '/short' : '/plain' }, witness);
          }
          await Promise.all(all.map(({ over }) => over));
        },
        { pipelining, connections: 1 },
      ] as const,
  ),
  [
    'a wrong request between others',
    async ({ dispatcher, log, get }) => {
      const [first, second] = [new Witness(log, {}, '1 '), new Witness(log, {}, '2 ')];
      dispatch(dispatcher, log, get, first);
      dispatch(dispatcher, log, { ...get, path: 'wrong' }, new Witness(log, {}, 'wrong '));
      dispatch(dispatcher, log, get, second);
      await Promise.all([first.over, second.over]);
    },
  ],
];

const bare: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, handler);

const kinds: readonly Kind[] = ['Client', 'Pool', 'Agent'];

/** Plays a row over a bare dispatcher and over a composed one, and holds the one against the other. */
async function compare(undici: Undici, kind: Kind, [, scenario, options = {}]: Row): Promise<void> {
  const { connections: _connections, ...forClient } = options as { connections?: number };
  const own = kind === 'Client' ? forClient : options;
  const ebb = ebbInterceptor({
    maxRetries: 0,
    bucket: tokenBucket({ refillPerSecond: 1e9, capacity: 1e9 }),
  });
  const expected = await play(undici, kind, own, bare, scenario);
  expect(expected.length).toBeGreaterThan(1);
  expect((await play(undici, kind, own, ebb, scenario)).join('\n')).toBe(expected.join('\n'));
}

/** undici looks at its timeouts once a second: these rows wait for it, side by side. */
const isTimeout = ([name]: Row): boolean => name.endsWith('Timeout');

describe.each(Object.entries(versions))('%s: composed, as bare', (_, undici) => {
  describe.each(kinds)('%s', (kind) => {
    const others = rows.filter((row) => !isTimeout(row));
    test.each(others.map((row) => ({ name: row[0], row })))('$name', ({ row }) => compare(undici, kind, row));
  });
});

describe('composed, as bare, in time', () => {
  const all = Object.entries(versions).flatMap(([version, undici]) =>
    kinds.flatMap((kind) =>
      rows.filter(isTimeout).map((row) => ({ name: `${version}, ${kind}: ${row[0]}`, undici, kind, row })),
    ),
  );
  test.concurrent.each(all)('$name', ({ undici, kind, row }) => compare(undici, kind, row));
});
