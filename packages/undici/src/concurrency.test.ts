import { constant } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { begin, get, oneSlot, settle } from '../test/relay.ts';
import { ENDS_WITHOUT_BODY, HandlerSpy, type Wire } from '../test/wire.ts';

function limited() {
  const concurrency = oneSlot();
  return { ...begin({ backoff: constant(0), concurrency }), inUse: () => concurrency.stats().inUse };
}

describe('the slot of a concurrency limit is held until the end of a body', () => {
  test.each<[string, (wire: Wire, spy: HandlerSpy) => unknown]>([
    ['that ends', (wire) => wire.attempt(1).end()],
    ['that breaks', (wire) => wire.attempt(1).fail(new Error('final'))],
    ['that the handler aborts', (_, spy) => spy.controller?.abort(new Error('enough'))],
  ])('%s', (_, finish) => {
    const { wire, spy, inUse } = limited();
    wire.attempt(1).start().head(200).data('01234');
    expect(inUse()).toBe(1);
    finish(wire, spy);
    expect(inUse()).toBe(0);
  });

  test.each(ENDS_WITHOUT_BODY)('and not after %s', (_, finish) => {
    const { wire, inUse } = limited();
    finish(wire);
    expect(inUse()).toBe(0);
  });

  test('and is free while a retry waits for its delay', async () => {
    const { wire, spy, dispatch, inUse } = limited();
    const other = new HandlerSpy();
    wire.attempt(1).start().head(503).data('no');
    dispatch(get, other);
    await settle();
    // The discarded response still has its connection.
    expect([wire.attempts.length, inUse()]).toEqual([1, 1]);
    wire.attempt(1).end();
    for (const number of [2, 3]) {
      await settle();
      expect([wire.attempts.length, inUse()]).toEqual([number, 1]);
      wire.attempt(number).start().head(200).end();
    }
    const calls = ['start', 'head 200', 'end {}'];
    expect([spy.calls, other.calls, inUse()]).toEqual([calls, calls, 0]);
  });
});
