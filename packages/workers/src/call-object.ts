import type { Clock } from '@ebb/core';
import { type LeaseCall, type LeaseReply, readReply } from './lease-call.ts';
import type { DurableSetup } from './options.ts';

/** A name is needed; it leads nowhere. */
const URL = 'https://ebb.invalid/lease';

/**
 * Calls the object in the request whose turn it is: timer, signal and response belong to this request, and end with it. The promise then
 * never settles.
 *
 * @throws the error of the object, or one that tells of its silence
 */
export function callObject(
  { object, timeoutMs }: DurableSetup,
  clock: Clock,
  call: LeaseCall,
): Promise<LeaseReply> {
  return new Promise((resolve, reject) => {
    const ended = new AbortController();
    const stop = clock.schedule(() => {
      reject(new Error(`the object has not replied within ${timeoutMs} ms`));
      ended.abort();
    }, timeoutMs);
    const send = async (): Promise<LeaseReply> => {
      const init = { method: 'POST', body: JSON.stringify(call), signal: ended.signal };
      const response = await object().fetch(URL, init);
      const text = await response.text();
      if (response.status !== 200) throw new Error(`the object has replied ${response.status}: ${text}`);
      return readReply(JSON.parse(text));
    };
    send().then(resolve, reject).finally(stop);
  });
}
