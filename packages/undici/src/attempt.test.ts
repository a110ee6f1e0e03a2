import { describe, expect, test, vi } from 'vitest';
import { begin, passBackoff, reset } from '../test/relay.ts';

test('events of an attempt that was given up are ignored', async () => {
  const { wire, spy, clock } = begin({ attemptTimeoutMs: 50 });
  const first = wire.attempt(1).start();
  // A dispatcher that ignores its controller.
  first.connection.abort = () => undefined;
  await passBackoff(clock, 50);
  await passBackoff(clock);
  const socket = { destroy: vi.fn() };
  first.handler.onRequestUpgrade(first.connection, 101, {}, socket as never);
  expect(socket.destroy).toHaveBeenCalledOnce();
  first.head(200).data('late').end();
  wire.attempt(2).start().head(200).data('right').end();
  first.fail(reset());
  expect(spy.calls).toEqual(['start', 'head 200', 'data right', 'end {}']);
});

describe('attemptTimeoutMs', () => {
  test('includes time in the queue of undici, and then keeps the attempt from being sent', async () => {
    const { wire, spy, clock } = begin({ attemptTimeoutMs: 50 });
    await passBackoff(clock, 50);
    wire.attempt(1).start();
    expect([wire.attempt(1).connection.aborted, spy.calls]).toEqual([true, ['start']]);
    await passBackoff(clock);
    wire.attempt(2).start().head(200).end();
    expect(spy.calls).toEqual(['start', 'head 200', 'end {}']);
  });

  test('ends with the headers, and does not bound the body', async () => {
    const { wire, spy, clock } = begin({ attemptTimeoutMs: 50 });
    wire.attempt(1).start().head(103);
    expect(clock.pending).toBe(1);
    wire.attempt(1).head(200);
    expect(clock.pending).toBe(0);
    wire.attempt(1).data('late').end();
    expect(spy.calls.at(-1)).toBe('end {}');
  });
});
