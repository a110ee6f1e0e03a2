import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { tokenBucket } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { ebbInterceptor } from '../src/index.ts';
import {
  type Actions,
  dispatch,
  errorText,
  type Log,
  LoggingHandler,
  watchEvents,
  withUncaught,
} from './bare.ts';
import { versions } from './clients.ts';
import { rawUpstream } from './upstream.ts';

type Undici = (typeof versions)[string];
type Kind = 'Client' | 'Pool' | 'Agent';

/** What a scenario runs with. */
export interface Setting {
  readonly undici: Undici;
  readonly dispatcher: Dispatcher;
  readonly origin: string;
  readonly log: Log;
  readonly get: Readonly<Record<string, unknown>>;
}

export type Scenario = (setting: Setting) => Promise<unknown>;
export type Row = readonly [name: string, scenario: Scenario, options?: object];

export async function turns(count = 12): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}

export const broken: Error = new Error('broken');
export const enough: Error = new Error('enough');
export const fail = (): never => {
  throw broken;
};
export const later = (act: () => void): unknown => setImmediate(act);

export const upgrades = [
  ['an upgrade', { path: '/upgrade', upgrade: 'echo' }],
  ['a CONNECT', { path: 'localhost:80', method: 'CONNECT' }],
] as const;

/** The methods in which a handler of a GET throws or aborts. */
export const methods = ['onRequestStart', 'onResponseStart', 'onResponseData', 'onResponseEnd'] as const;

const ok = (body: string, fields = ''): string =>
  `HTTP/1.1 200 OK\r\n${fields}content-length: ${body.length}\r\n\r\n${body}`;
const SWITCHING = 'HTTP/1.1 101 Switching\r\nupgrade: echo\r\nconnection: upgrade\r\n\r\n';
const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: sum\r\n\r\n';

/** The responses by path, and whether the connection ends with them. Any other path, '/never' say, gets none. */
const RESPONSES: Readonly<Record<string, readonly [bytes: string, ends?: 'ends']>> = {
  '/plain': [ok('hello', 'x-a: b\r\nset-cookie: c=1\r\nset-cookie: d=2\r\n')],
  '/head': ['HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n'],
  '/empty': ['HTTP/1.1 204 No Content\r\n\r\n'],
  '/failing': ['HTTP/1.1 503 Away\r\ncontent-length: 4\r\n\r\nlong'],
  '/hints': [`HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${ok('hello')}`],
  '/trailers': [`${CHUNKED}5\r\nhello\r\n0\r\nsum: 1\r\n\r\n`],
  '/close': ['HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhello', 'ends'],
  '/short': ['HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello', 'ends'],
  '/hang-up': ['', 'ends'],
  '/nonsense': ['nonsense\r\n\r\n', 'ends'],
  '/upgrade': [SWITCHING],
  '/no-upgrade': [ok('no')],
  '/bad-upgrade': [SWITCHING],
  '/slow-body': ['HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello'],
  '/early': [ok('early')],
};

function serve(socket: Socket, head: string): void {
  const path = head.split(' ')[1] ?? '';
  const [bytes = '', ends] = RESPONSES[path] ?? [];
  if (head.startsWith('CONNECT')) socket.write('HTTP/1.1 200 Connected\r\nx-a: b\r\n\r\n');
  else if (path === '/reset') socket.resetAndDestroy();
  else if (ends) socket.end(bytes);
  else if (bytes) socket.write(bytes);
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

/** One request by `dispatch`, until its handler is done. */
export function one(
  options: object,
  actions: Actions = {},
  after?: (handler: LoggingHandler) => unknown,
): Scenario {
  return async ({ dispatcher, log, get }) => {
    const handler = new LoggingHandler(log, actions);
    dispatch(dispatcher, log, { ...get, ...options }, handler);
    after?.(handler);
    await handler.over;
  };
}

/** Actions of a handler that aborts in `method`. */
export function abortIn(method: keyof Actions, more: Actions = {}): Actions {
  return { ...more, [method]: (controller: Dispatcher.DispatchController) => controller.abort(enough) };
}

/** An upload stream that logs its events. */
export function upload(log: Log): Readable {
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

const bare: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, handler);

const kinds: readonly Kind[] = ['Client', 'Pool', 'Agent'];

/** Plays a row over a bare dispatcher and over a composed one, and compares the logs. */
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

/** One test for each row, each kind of dispatcher and each version of undici. */
export function behavesAsBare(rows: readonly Row[]): void {
  describe.each(Object.entries(versions))('%s: a composed dispatcher behaves as a bare one', (_, undici) => {
    describe.each(kinds)('%s', (kind) => {
      test.each(rows.map((row) => ({ name: row[0], row })))('$name', ({ row }) => compare(undici, kind, row));
    });
  });
}

/** As {@link behavesAsBare}, all at once: for rows that wait for undici's timeouts, which it checks once a second. */
export function behavesAsBareConcurrently(rows: readonly Row[]): void {
  describe('a composed dispatcher behaves as a bare one', () => {
    const all = Object.entries(versions).flatMap(([version, undici]) =>
      kinds.flatMap((kind) =>
        rows.map((row) => ({ name: `${version}, ${kind}: ${row[0]}`, undici, kind, row })),
      ),
    );
    test.concurrent.each(all)('$name', ({ undici, kind, row }) => compare(undici, kind, row));
  });
}
