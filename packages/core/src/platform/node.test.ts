import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { throwing } from '../../test/throwing.ts';
import { nextTurn } from '../base/clock.ts';
import {
  emit,
  keptByCopies,
  kindOfNode,
  letExit,
  makeMetadata,
  nodeStream,
  oneLine,
  readNode,
} from './node.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const named = (message: string): Error => Object.assign(new Error(message), { name: 'EbbWarning' });

describe('a warning', () => {
  test('is a line of the process', () => {
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const warning = named('two\nlines');
    emit(warning);
    expect(warn.mock.calls).toEqual([[warning]]);
    expect(warning.message).toBe('two?lines');
  });

  test('is its text and its name for a process that refuses errors of another realm', () => {
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    warn.mockImplementationOnce(throwing(new TypeError('no error')));
    emit(named('beware'));
    expect(warn.mock.calls[1]).toEqual(['beware', 'EbbWarning']);
  });

  test.each([
    ['no process', undefined],
    ['a process without warnings', {}],
  ])('is reported as an error in a runtime with %s, or lost', (_, process) => {
    const reportError = vi.fn();
    vi.stubGlobal('process', process);
    vi.stubGlobal('reportError', reportError);
    const warning = named('beware');
    emit(warning);
    expect(reportError.mock.calls).toEqual([[warning]]);
    vi.stubGlobal('reportError', undefined);
    expect(() => emit(warning)).not.toThrow();
  });
});

test.each([
  ['a text as it is: é, 日本, 👍', 'a text as it is: é, 日本, 👍'],
  ['a\r\nb\u2028c\u2029d', 'a??b?c?d'],
  ['\u001b[2Jb\u0007', '?[2Jb?'],
  ['admin\u202enimda\u200b', 'admin?nimda?'],
])('in a line %j is %j', (text, line) => {
  expect(oneLine(text)).toBe(line);
});

describe('metadata of an object', () => {
  test.each<[what: string, make: () => object]>([
    ['an object', () => ({ a: 1 })],
    ['a response', () => new Response('x')],
    ['a function', () => () => 1],
    ['a frozen object', () => Object.freeze({ a: 1 })],
    ['a proxy', () => new Proxy({ a: 1 }, {})],
  ])('%s has the last value of each kind, which nothing shows', (_, make) => {
    const [one, other] = [makeMetadata<string>(), makeMetadata<string>()];
    const [on, plain] = [make(), make()];
    expect([one.get(on), other.get(on)]).toEqual([undefined, undefined]);
    one.set(on, 'first');
    one.set(on, 'second');
    other.set(on, 'third');
    expect([one.get(on), other.get(on), one.get(plain)]).toEqual(['second', 'third', undefined]);
    expect([Reflect.ownKeys(on), JSON.stringify(on)]).toEqual([
      Reflect.ownKeys(plain),
      JSON.stringify(plain),
    ]);
    expect(Object.getPrototypeOf(on)).toBe(Object.getPrototypeOf(plain));
  });
});

const HISTORY = ['http://a.test/'];
const broken = Object.defineProperty({}, 'history', { get: throwing() });

test.each<[what: string, make: () => object, kept: object | undefined]>([
  ['a response with the list of its URLs', () => ({ history: HISTORY }), HISTORY],
  ['a response without', () => ({}), undefined],
  ['anything else by that name', () => ({ history: 'long' }), undefined],
  ['an error whose getters throw', () => broken, undefined],
])('copies of %s keep the list alone', (_, make, kept) => {
  expect(keptByCopies(make())).toBe(kept);
});

describe('reading a Node stream', () => {
  /** What is told to the target of a stream in this state, at once and after these events. */
  function read(state: object, events: readonly [name: string, value?: unknown][] = []) {
    const told: unknown[][] = [];
    const body = Object.assign(new EventEmitter(), state);
    readNode(body, {
      limit: () => void told.push(['limit']),
      take: (part) => void told.push(['take', part]),
      end: (isWhole, error) =>
        void told.push(error === undefined ? ['end', isWhole] : ['end', isWhole, error]),
      giveUp: () => void told.push(['give up']),
    });
    for (const [name, value] of events) body.emit(name, value);
    return told;
  }

  const error = new Error('reset');

  test.each<[what: string, state: object, events: [name: string, value?: unknown][], told: unknown[][]]>([
    [
      'with parts',
      {},
      [['data', 'a'], ['data', 'b'], ['end']],
      [
        ['take', 'a'],
        ['take', 'b'],
        ['end', true],
      ],
    ],
    [
      'that fails',
      {},
      [
        ['data', 'a'],
        ['error', error],
      ],
      [
        ['take', 'a'],
        ['end', false, error],
      ],
    ],
    ['that closes', {}, [['close']], [['end', false]]],
    ['that was destroyed', { destroyed: true, readableEnded: false }, [['data', 'a']], [['end', false]]],
    ['that was destroyed after its end', { destroyed: true, readableEnded: true }, [], [['end', true]]],
    ['that has ended', { readableEnded: true }, [['data', 'a']], [['end', true]]],
    ['of old that was destroyed', { destroyed: true }, [], [['end', false]]],
  ])('one %s', (_, state, events, told) => {
    expect(read(state, events)).toEqual([['limit'], ...told]);
  });
});

describe('a Node stream with given parts', () => {
  test('has them, and ends', async () => {
    const stream = nodeStream(['a', 'b'], undefined, {}) as Readable & { complete: boolean };
    expect([stream instanceof Readable, stream.readableObjectMode, stream.complete]).toEqual([
      true,
      false,
      true,
    ]);
    expect(String(Buffer.concat(await stream.toArray()))).toBe('ab');
  });

  test('has objects in place of a stream of objects', async () => {
    const parts = [{ a: 1 }, { b: 2 }];
    const stream = nodeStream(parts, undefined, { readableObjectMode: true }) as Readable;
    expect(await stream.toArray()).toEqual(parts);
  });

  test('fails with the error after the last of them, and not before', async () => {
    const error = new Error('lost');
    const stream = nodeStream(['a', 'b'], error, {}) as Readable;
    const seen: string[] = [];
    const reading = (async () => {
      for await (const part of stream) {
        seen.push(String(part));
        await nextTurn();
      }
    })();
    await expect(reading).rejects.toBe(error);
    expect(seen).toEqual(['a', 'b']);
  });

  test.each([
    ['a worker without Node streams', { getBuiltinModule: () => undefined }],
    ['a worker without modules of Node', {}],
    ['a worker without a process', undefined],
  ])('is none in %s', (_, process) => {
    vi.stubGlobal('process', process);
    expect(nodeStream(['a'], undefined, {})).toBeUndefined();
  });
});

describe('a timer lets the process exit', () => {
  test('of Node, by itself', () => {
    const timer = { unref: vi.fn() };
    letExit(timer);
    expect(timer.unref).toHaveBeenCalledTimes(1);
  });

  test('of Deno, by its number', () => {
    const unrefTimer = vi.fn();
    vi.stubGlobal('Deno', { unrefTimer });
    letExit(7);
    expect(unrefTimer.mock.calls).toEqual([[7]]);
    const timer = { unref: vi.fn() };
    letExit(timer);
    expect([timer.unref.mock.calls.length, unrefTimer.mock.calls.length]).toEqual([1, 1]);
  });

  test.each([undefined, null, {}, 'text', 7])('unless it is %s', (timer) => {
    expect(() => letExit(timer)).not.toThrow();
    vi.stubGlobal('Deno', {});
    expect(() => letExit(timer)).not.toThrow();
  });
});

const FRAME = 'HTTP/2: "GOAWAY" frame received with code 0';

test.each<[code: string, message: string, stack: string | undefined, kind: string | undefined]>([
  ['UND_ERR_INFO', FRAME, undefined, 'connect'],
  ['UND_ERR_SOCKET', FRAME, 'Error\n    at getGoAwayError (node:undici)', 'connect'],
  ['UND_ERR_SOCKET', FRAME, 'Error\n    at onGoAway (node:undici)', undefined],
  ['UND_ERR_SOCKET', 'other side closed', 'Error\n    at getGoAwayError (node:undici)', undefined],
  ['UND_ERR_INFO', 'HTTP/2: "stream timeout after 100"', undefined, 'timeout'],
  ['UND_ERR_INFO', 'HTTP/2: "PING" errored', undefined, 'network'],
  ['UND_ERR_INFO', 'HTTP/2: Extended CONNECT protocol not supported by server', undefined, undefined],
  ['UND_ERR_INFO', 'an error of HTTP/2: "stream timeout', undefined, undefined],
  ['UND_ERR_OTHER', 'HTTP/2: "stream timeout after 100"', undefined, undefined],
  ['UND_ERR_PRX_CONN', 'Proxy Connection failed', undefined, 'connect'],
  ['UND_ERR_SOCKS5_REPLY_5', '', undefined, 'connect'],
  ['UND_ERR_SOCKS5_REPLY_', '', undefined, undefined],
  ['UND_ERR_ABORTED', 'Proxy response (407) !== 200', undefined, 'connect'],
  ['UND_ERR_ABORTED', 'Request aborted', undefined, undefined],
  ['ERR_PROXY_TUNNEL', 'no', undefined, 'connect'],
  ['X_ERR_PROXY_TUNNEL', 'no', undefined, undefined],
])('the kind of an error of Node with the code %s and the message %j', (code, message, stack, kind) => {
  expect(kindOfNode(code, message, { stack })).toBe(kind);
});
