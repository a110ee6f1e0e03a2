import { expect, test } from 'vitest';
import { unhandledIn } from '../../test/unhandled.ts';
import { streamOver } from './streams.ts';

const collect = globalThis.gc as () => void;

test('a dropped stream gives its source up, and no one sees that the source fails', async () => {
  let cancelled = 0;
  const source = Promise.withResolvers<never>();
  const drop = (): void => {
    const cancel = (): Promise<void> => {
      cancelled += 1;
      return Promise.reject(new TypeError('terminated'));
    };
    streamOver({ pull: async () => undefined, cancel, closed: source.promise }, false);
  };
  const unhandled = await unhandledIn(async () => {
    drop();
    await expect
      .poll(() => {
        collect();
        return cancelled;
      })
      .toBe(1);
    source.reject(new TypeError('terminated'));
  });
  expect(unhandled).toEqual([]);
});
