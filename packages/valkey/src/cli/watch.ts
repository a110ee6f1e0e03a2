import type { BucketState, Operation, OperationResult } from '../operator-call.ts';
import { inOneLine } from './one-line.ts';
import { bucketJson, bucketsText } from './show.ts';

/** A stream that may be a terminal. */
export interface Output {
  readonly isTTY?: boolean | undefined;
  /** The height of a terminal, in lines. */
  readonly rows?: number | undefined;
  write(text: string): unknown;
}

interface WatchArguments {
  /** The part of a key before the name. */
  readonly prefix: string;
  /** The beginning of the names to show. */
  readonly name: string;
  readonly json: boolean;
  readonly once: boolean;
}

const EVERY_MS = 1_000;
/** The most buckets to read at once. */
const AT_ONCE = 50;

/** A text as a pattern of SCAN that matches it alone. */
const literal = (text: string): string => text.replace(/[\\*?[\]^-]/g, '\\$&');

type ReadKey = (key: string, operation: Operation) => Promise<OperationResult>;

async function readAll(keys: readonly string[], read: ReadKey): Promise<(readonly [string, BucketState])[]> {
  const found: (readonly [string, BucketState])[] = [];
  for (let from = 0; from < keys.length; from += AT_ONCE) {
    const some = keys.slice(from, from + AT_ONCE).map(async (key) => {
      const operated = await read(key, { type: 'inspect' });
      // The bucket may have expired since.
      return operated.type === 'done' ? [[key, operated.state] as const] : [];
    });
    found.push(...(await Promise.all(some)).flat());
  }
  return found;
}

/** Shows buckets once a second: a terminal is painted again, and elsewhere lines follow each other. Ends with `once` alone. */
export async function watch(
  { prefix, name, json, once }: WatchArguments,
  scan: (pattern: string) => Promise<string[]>,
  read: ReadKey,
  out: Output,
): Promise<void> {
  let painted = 0;
  for (;;) {
    const startMs = performance.now();
    const buckets = await readAll(await scan(`${literal(prefix + name)}*}`), read);
    const at = new Date();
    if (json) {
      const line = { at, buckets: buckets.map(([key, state]) => bucketJson(key, state)) };
      out.write(`${inOneLine(JSON.stringify(line))}\n`);
    } else {
      const text =
        buckets.length === 0
          ? `no bucket whose name begins with ${inOneLine(name) || 'anything'}`
          : bucketsText(buckets);
      const all = [...(once ? [] : [at.toISOString()]), ...text.split('\n')];
      const lines = out.isTTY ? all.slice(0, Math.max(2, (out.rows ?? 24) - 1)) : all;
      out.write(`${out.isTTY && painted > 0 ? `\x1b[${painted}A\x1b[J` : ''}${lines.join('\n')}\n`);
      painted = lines.length;
    }
    if (once) return;
    await new Promise((resolve) =>
      setTimeout(resolve, Math.max(0, EVERY_MS - (performance.now() - startMs))),
    );
  }
}
