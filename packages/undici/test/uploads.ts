import { Readable } from 'node:stream';

/** A body that is not read to its end, and a promise of the reason, if there is one, for which it was closed. */
export interface Open {
  readonly body: unknown;
  readonly closed: Promise<unknown>;
}

function nodeStream(): Open {
  const { promise: closed, resolve } = Promise.withResolvers<unknown>();
  const body = new Readable({
    read: () => undefined,
    destroy(reason, callback) {
      resolve(reason);
      callback(null);
    },
  });
  body.push('part');
  return { body, closed };
}

function webStream(): Open {
  const { promise: closed, resolve } = Promise.withResolvers<unknown>();
  const start = (controller: ReadableStreamDefaultController): void =>
    controller.enqueue(Buffer.from('part'));
  return { body: new ReadableStream({ start, cancel: resolve }), closed };
}

function iterator(): Open {
  const { promise: closed, resolve } = Promise.withResolvers<unknown>();
  const body = {
    [Symbol.asyncIterator]: () => body,
    next: async () => {
      await new Promise(setImmediate);
      return { done: false, value: Buffer.from('part') };
    },
    return: async () => {
      resolve(undefined);
      return { done: true, value: undefined };
    },
  };
  return { body, closed };
}

/** Each kind of body that has to be closed. */
export const kinds: readonly (readonly [kind: string, make: () => Open])[] = [
  ['Node streams', nodeStream],
  ['web streams', webStream],
  ['iterators', iterator],
];
