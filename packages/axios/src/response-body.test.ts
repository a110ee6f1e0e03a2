import { systemClock } from '@ebb/core/adapter';
import { AxiosError } from 'axios';
import { describe, expect, test, vi } from 'vitest';
import { discard } from './response-body.ts';

describe('a response that a retry follows', () => {
  test.each([undefined, null, 'text', new AxiosError('no'), { response: {} }])('%s has none', (settled) => {
    expect(discard(settled, systemClock, 5)).toBeUndefined();
  });

  test('a text is free in the next turn, and an unfinished upload is destroyed', async () => {
    const destroy = vi.fn();
    const aside = discard(
      { status: 503, data: 'text', request: { writableFinished: false, destroy } },
      systemClock,
      5,
    );
    expect(destroy).toHaveBeenCalledTimes(1);
    expect(aside?.released).toBeInstanceOf(Promise);
    await aside?.released;
  });

  test.each([
    ['get', 200, true],
    ['head', 200, false],
    ['get', 204, false],
    ['get', 304, false],
  ])('%s, %i: a stream that says it is long is broken off: %s', async (method, status, isBroken) => {
    let cancelled = false;
    const data = new ReadableStream({
      start: (controller) => (isBroken ? undefined : controller.close()),
      cancel() {
        cancelled = true;
      },
    });
    const headers = { 'content-length': '1000000' };
    const response = { status, data, headers, config: { method } };
    await discard(response, systemClock, 1_000)?.released;
    expect(cancelled).toBe(isBroken);
  });
});
