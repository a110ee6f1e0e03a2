import { expect, test } from 'vitest';
import { streamOver } from './streams.ts';

const collect = globalThis.gc as () => void;

test('a dropped stream gives its source up, and no one sees that the source fails', async () => {
  // In a program one of these ends the process.
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  let cancelled = 0;
  const source = Promise.withResolvers<never>();
  const drop = (): void => {
    const cancel = (): Promise<void> => {
      cancelled += 1;
      return Promise.reject(new TypeError('terminated'));
    };
    streamOver({ pull: async () => undefined, cancel, closed: source.promise }, false);
  };
  drop();
  await expect
    .poll(() => {
      collect();
      return cancelled;
    })
    .toBe(1);
  source.reject(new TypeError('terminated'));
  await new Promise(setImmediate);
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
