import { expect, test } from 'vitest';
import { streamOver } from './streams.ts';

const collect = globalThis.gc as () => void;

// vitest fails for a rejection that no one handles: in a program it ends the process.
test('a dropped stream gives its source up, and no one sees that the source fails to be cancelled', async () => {
  let cancelled = 0;
  const drop = (): void => {
    const cancel = (): Promise<void> => {
      cancelled += 1;
      return Promise.reject(new TypeError('terminated'));
    };
    streamOver({ pull: async () => undefined, cancel }, false);
  };
  drop();
  await expect
    .poll(() => {
      collect();
      return cancelled;
    })
    .toBe(1);
  await new Promise(setImmediate);
});
