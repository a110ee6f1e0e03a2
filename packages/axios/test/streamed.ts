import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import axios, { type AxiosInstance } from 'axios';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../test/serve.ts';
import type { Step } from '../../../test/server.ts';
import { listenersOf, listenersOn, waysToCancel } from './cancel.ts';
import { UP } from './steps.ts';

/** Tests that a streamed response is the caller's to cancel until its body has ended, and leaves no listener then. */
export function testsOfCancelledStreams(client: AxiosInstance): void {
  test.each(waysToCancel)('ends with the caller’s %s while it is being read', async (_, make) => {
    const server = await serve('held-200');
    const { config, abort } = make();
    const { data } = await client.get(server.url, config);
    const read = text(data);
    abort(new Error('enough'));
    await expect(read).rejects.toThrow();
  });

  describe('leaves no listener on a token, nor on a signal beside it', () => {
    test.each<[how: string, step: Step, end: (data: Readable & ReadableStream) => unknown]>([
      ['was read', UP, text],
      ['breaks', 'half-body', text],
      // axios waits for the next part before it has cancelled a web stream.
      ['was broken off', 'endless-200', (data) => void (data.destroy ? data.destroy() : data.cancel())],
    ])('once its body %s', async (_, step, end) => {
      const { signal } = new AbortController();
      const { token } = axios.CancelToken.source();
      const server = await serve(step);
      for (const beside of [{}, { signal }]) {
        const { data } = await client.get(server.url, { cancelToken: token, ...beside });
        await Promise.resolve(end(data)).catch(() => undefined);
      }
      await expect.poll(() => [listenersOf(signal), listenersOn(token)]).toEqual([0, 0]);
    });
  });
}
