import { describe, expect, test } from 'vitest';
import { Wire } from '../test/wire.ts';
import { ebbInterceptor } from './index.ts';
import type { LegacyHandler } from './legacy.ts';

const get = { origin: 'http://upstream.test', path: '/', method: 'GET' } as const;

class Legacy implements LegacyHandler {
  readonly told: unknown[] = [];
  abort: (reason?: Error) => void = () => undefined;
  resume: () => void = () => undefined;
  more: boolean | undefined = true;

  onConnect(abort: (reason?: Error) => void): void {
    this.abort = abort;
    this.told.push('connect');
  }

  onHeaders(status: number, headers: unknown, resume: () => void, message?: string): boolean | undefined {
    this.resume = resume;
    this.told.push([status, String(headers), message]);
    return this.more;
  }

  onData(chunk: Buffer): boolean | undefined {
    this.told.push(String(chunk));
    return this.more;
  }

  onComplete(trailers: unknown): void {
    this.told.push(['complete', String(trailers)]);
  }

  onUpgrade(status: number, headers: unknown): void {
    this.told.push([status, String(headers)]);
  }

  onError(error: Error): void {
    this.told.push(error);
  }
}

function dispatched(legacy: LegacyHandler) {
  const wire = new Wire();
  const dispatch = ebbInterceptor({ maxRetries: 0 })(wire.dispatch);
  dispatch(get, legacy as never);
  return wire.attempt(1);
}

describe('a handler of before undici 7, as Node’s fetch has it', () => {
  test('is told all in its own terms, and spared HTTP/2', () => {
    const legacy = new Legacy();
    const attempt = dispatched(legacy);
    expect(attempt.options).toMatchObject({ allowH2: false });
    attempt.connection.rawHeaders = [Buffer.from('A'), Buffer.from('1')];
    attempt.connection.rawTrailers = [Buffer.from('B'), Buffer.from('2')];
    attempt.start().head(200, { a: '1' }).data('text').end({ b: '2' });
    expect(legacy.told).toEqual(['connect', [200, 'A,1', 'message'], 'text', ['complete', 'B,2']]);
  });

  test('gets headers put together where there are no raw ones', () => {
    const legacy = new Legacy();
    const attempt = dispatched(legacy);
    attempt.connection.rawHeaders = null as never;
    attempt.start().head(200, { a: '1', list: ['2', '3'] as never });
    expect(legacy.told[1]).toEqual([200, 'a,1,list,2,list,3', 'message']);
  });

  test('holds the data back with its answers, and lets it on', () => {
    const legacy = new Legacy();
    legacy.more = false;
    const { connection } = dispatched(legacy).start().head(103);
    expect(connection.asked).toEqual([]);
    const attempt = dispatched(legacy).start().head(200);
    expect(attempt.connection.asked).toEqual(['pause']);
    legacy.resume();
    attempt.data('text');
    expect(attempt.connection.asked).toEqual(['pause', 'resume', 'pause']);
  });

  test('aborts, and hears of errors and upgrades', () => {
    const reason = new Error('enough');
    const aborting = new Legacy();
    const attempt = dispatched(aborting).start();
    aborting.abort(reason);
    expect(attempt.connection.reason).toBe(reason);
    expect(aborting.told).toEqual(['connect', reason]);
    const upgrading = new Legacy();
    const { handler, connection } = dispatched(upgrading).start();
    handler.onRequestUpgrade(connection, 101, { a: '1' }, {} as never);
    expect(upgrading.told.at(-1)).toEqual([101, '']);
  });

  test('hears of its upload only if it wants to', () => {
    expect(dispatched(new Legacy()).handler.onBodySent).toBe(undefined);
    const sent: string[] = [];
    const watching = Object.assign(new Legacy(), {
      onBodySent: (chunk: Buffer) => sent.push(String(chunk)),
      onRequestSent: () => sent.push('sent'),
    });
    const { handler } = dispatched(watching);
    handler.onBodySent(Buffer.from('text'));
    handler.onRequestSent();
    expect(sent).toEqual(['text', 'sent']);
  });
});
