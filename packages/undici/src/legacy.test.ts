import { expect, test } from 'vitest';
import { begin } from '../test/relay.ts';
import type { Dispatched, HandlerSpy } from '../test/wire.ts';
import type { LegacyHandler } from './handler.ts';

/** A handler as Node’s fetch has it. */
class Legacy implements LegacyHandler {
  readonly calls: unknown[] = [];
  abort: (reason?: Error) => void = () => undefined;
  resume: () => void = () => undefined;
  more: boolean | undefined = true;

  onConnect(abort: (reason?: Error) => void): void {
    this.abort = abort;
    this.calls.push('connect');
  }

  onHeaders(status: number, headers: unknown, resume: () => void, message?: string): boolean | undefined {
    this.resume = resume;
    this.calls.push([status, String(headers), message]);
    return this.more;
  }

  onData(chunk: Buffer): boolean | undefined {
    this.calls.push(String(chunk));
    return this.more;
  }

  onComplete(trailers: unknown): void {
    this.calls.push(['complete', String(trailers)]);
  }

  onUpgrade(status: number, headers: unknown): void {
    this.calls.push([status, String(headers)]);
  }

  onError(error: Error): void {
    this.calls.push(error);
  }
}

const dispatched = (legacy: LegacyHandler): Dispatched =>
  begin({ maxRetries: 0 }, {}, legacy as HandlerSpy).wire.attempt(1);

test('a legacy handler gets every call in its own style, without HTTP/2', () => {
  const legacy = new Legacy();
  const attempt = dispatched(legacy);
  expect(attempt.options).toMatchObject({ allowH2: false });
  attempt.connection.rawHeaders = [Buffer.from('A'), Buffer.from('1')];
  attempt.connection.rawTrailers = [Buffer.from('B'), Buffer.from('2')];
  attempt.start().head(200, { a: '1' }).data('text').end({ b: '2' });
  expect(legacy.calls).toEqual(['connect', [200, 'A,1', 'message'], 'text', ['complete', 'B,2']]);
});

test('it gets raw headers built from the others if there are none', () => {
  const legacy = new Legacy();
  const attempt = dispatched(legacy);
  attempt.connection.rawHeaders = null as never;
  attempt.start().head(200, { a: '1', list: ['2', '3'] as never });
  expect(legacy.calls[1]).toEqual([200, 'a,1,list,2,list,3', 'message']);
});

test('it pauses by returning false, and resumes', () => {
  const legacy = new Legacy();
  legacy.more = false;
  const attempt = dispatched(legacy).start().head(200);
  expect(attempt.connection.calls).toEqual(['pause']);
  legacy.resume();
  attempt.data('text');
  expect(attempt.connection.calls).toEqual(['pause', 'resume', 'pause']);
});

test('what it returns for an informational response, which has no body, pauses nothing', () => {
  const legacy = new Legacy();
  legacy.more = false;
  const attempt = dispatched(legacy).start().head(103);
  legacy.more = true;
  expect(attempt.head(200).connection.calls).toEqual([]);
});

test('it aborts, and gets errors and upgrades', () => {
  const reason = new Error('enough');
  const aborting = new Legacy();
  const attempt = dispatched(aborting).start();
  aborting.abort(reason);
  expect(attempt.connection.reason).toBe(reason);
  expect(aborting.calls).toEqual(['connect', reason]);
  const upgrading = new Legacy();
  dispatched(upgrading).start().upgrade(101);
  expect(upgrading.calls.at(-1)).toEqual([101, '']);
});

test('it gets upload calls only if it has the methods', () => {
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
