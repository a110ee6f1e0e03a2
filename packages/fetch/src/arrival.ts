import {
  type BodyContext,
  isNodeReadable,
  isWebReadable,
  LONGEST_DISCARD_MS,
  readAhead,
  whenArrived,
} from '@ebb/core/adapter';
import { nodeProcess } from './node.ts';

/** What is to be called when a response is garbage-collected. */
const collected = /* @__PURE__ */ new FinalizationRegistry((ended: () => void) => ended());

/**
 * Calls `ended` once the body of a response has arrived, read or not, or has failed; of one that is long or slow, when it has been read,
 * or the response is garbage-collected. May call it more than once. For what is left over from a request, and can wait: the slot of a concurrency
 * limit is released by the limit's own watch.
 */
export function whenBodyEnds(settled: unknown, { clock }: BodyContext, ended: () => void): void {
  try {
    const response = settled as Response;
    const body: unknown = response.body;
    collected.register(response, ended);
    // It may have broken during a look.
    if (isNodeReadable(body)) whenArrived(body, undefined, clock, ended);
    else if (isWebReadable(body)) {
      whenRead(body, ended);
      readAhead(response.clone().body, clock, LONGEST_DISCARD_MS, ended);
    } else ended();
  } catch {
    // A mock has no connection.
    ended();
  }
}

/** Node, Bun and Deno tell when one of their own streams ends, whatever reads it. */
function whenRead(body: object, ended: () => void): void {
  try {
    nodeProcess?.getBuiltinModule?.('node:stream').finished(body, ended);
  } catch {
    // Another runtime, or a stream of another make.
  }
}
