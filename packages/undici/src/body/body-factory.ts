import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { HookError } from '@ebb/core/adapter';
import { type DispatchChanges, finish, type RequestBody } from './request-body.ts';

/** Calls a body factory for each attempt, and closes bodies that an attempt did not read to the end. */
export function factoryBody(factory: () => unknown): RequestBody {
  let made: DispatchChanges | undefined;
  const take = (): DispatchChanges => {
    const taken = made ?? { body: null };
    made = undefined;
    return taken;
  };
  // A body that was made for an attempt that is not sent.
  const close = (): void => release(take());
  return {
    replayable: true,
    async make(state) {
      close();
      try {
        made = checked(await factory());
      } catch (cause) {
        throw cause instanceof HookError ? cause : new HookError('body', cause);
      }
      // It came when it was not needed any more.
      if (state.over) close();
    },
    take,
    release,
    close,
    unsent: close,
  };
}

/** A stream that is not read to its end would keep its file open. */
function release({ body }: DispatchChanges): void {
  if (typeof body !== 'object' || body === null) return;
  if (isNodeStream(body)) body.destroy();
  else finish(body);
}

function checked(body: unknown): DispatchChanges {
  if (typeof body === 'object' && body !== null && Readable.isDisturbed(body as Readable)) {
    throw new TypeError('the stream was read before; a factory must make a new one for each attempt');
  }
  // A web stream cannot be cancelled while undici reads it.
  const readable = body instanceof ReadableStream ? Readable.fromWeb(body as WebStream) : body;
  // undici reports an error of the stream, but stops listening when the attempt ends.
  if (isNodeStream(readable)) readable.on('error', () => undefined);
  return { body: readable };
}

function isNodeStream(body: unknown): body is Readable {
  const { pipe, destroy }: Partial<Readable> = body ?? {};
  return typeof pipe === 'function' && typeof destroy === 'function';
}
