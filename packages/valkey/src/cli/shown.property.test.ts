import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BucketState, OperationResult } from '../operator-call.ts';
import { ebbValkey } from './run.ts';
import { bucketsText, bucketText } from './show.ts';
import { watch } from './watch.ts';

/** What starts another line, moves the cursor, or turns the direction of a line. */
const CONTROLS = '\0\b\t\n\r\u001b\u007f\u0085\u009b\u061c\u200e\u2028\u2029\u202e\u2066';
const unit = fc.nat({ max: 0x10ffff }).map((code) => String.fromCodePoint(code));
const text = fc.string({ unit: fc.oneof(fc.constantFrom(...CONTROLS), unit), maxLength: 20 });
const HARMFUL = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_C}]/u;

/** A bucket with these names of units and processes, as any program with access to the store may have written it. */
function stateOf(unit: string, process: string): BucketState {
  const limit = { name: unit, refillPerSecond: 1, capacity: 10 };
  return {
    ...{ version: 1, pausedMs: 0, closedMs: 0, writtenMsAgo: 1, aheadMs: 0, expiresInMs: 1, bytes: 1 },
    ...{ units: [{ ...limit, tokens: 5 }], declared: [limit] },
    processes: [{ name: process, share: 0.5, expiresInMs: 5 }],
    missing: { processes: 0, share: 0, expiresInMs: 0 },
  };
}

/** Every line of a text is safe, and there are as many as there would be of plain names. */
function expectLines(text: string, plain: string): void {
  const lines = text.split('\n');
  expect(lines.length).toBe(plain.split('\n').length);
  for (const line of lines) expect(line).not.toMatch(HARMFUL);
}

test('a bucket of any names is shown in as many lines as one of plain names', () => {
  fc.assert(
    fc.property(text, text, text, (key, unit, process) => {
      const [state, plain] = [stateOf(unit, process), stateOf('u', 'p')];
      expectLines(bucketText(key, state), bucketText('k', plain));
      expectLines(bucketsText([[key, state]]), bucketsText([['k', plain]]));
    }),
  );
});

test('watch shows any names, as text and as JSON, which has them in full', async () => {
  await fc.assert(
    fc.asyncProperty(text, text, text, async (key, unit, process) => {
      const state = stateOf(unit, process);
      const read = async (): Promise<OperationResult> => ({ type: 'done', state });
      const shown = async (json: boolean, keys: readonly string[]): Promise<string> => {
        let out = '';
        const write = (text: string): void => {
          out += text;
        };
        await watch({ prefix: 'ebb:{', name: key, json, once: true }, async () => [...keys], read, { write });
        return out;
      };
      expectLines(await shown(false, [key]), 'key\nrow\n');
      expectLines(await shown(false, []), 'none\n');
      const line = await shown(true, [key]);
      expectLines(line, '{}\n');
      expect(JSON.parse(line).buckets).toMatchObject([
        { key, units: [{ name: unit }], processes: [{ name: process }] },
      ]);
    }),
  );
});

/** What a command line has written as its error. */
async function errorOf(...args: string[]): Promise<string> {
  let err = '';
  const write = (text: string): void => {
    err += text;
  };
  await ebbValkey(args, { stdout: { write }, stderr: { write }, env: {} });
  return err;
}

test('an error of a wrong command line is a line, and another points to the help', async () => {
  await fc.assert(
    fc.asyncProperty(text, async (wrong) => {
      expectLines(await errorOf('set', 'k', '--rate', `x${wrong}`), 'wrong\nhelp\n');
      expectLines(await errorOf('inspect', `{${wrong}`), 'wrong\nhelp\n');
      expectLines(await errorOf('inspect', 'k', `--no-${wrong}`), 'wrong\nhelp\n');
    }),
    { numRuns: 100 },
  );
  expectLines(await errorOf('inspect', 'k', '--url', '--json'), 'wrong\nhelp\n');
});

test('an error of the store is a line', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    // It refuses all that a client says, with a bell, and an escape code that clears the screen.
    socket.on('data', () => socket.write('-ERR no \u0007\u001b[2J\u009b2J\u2028\u202e here\r\n'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const err = await errorOf('inspect', 'k', '--url', url, '--client', 'redis');
  server.close();
  expectLines(err, 'wrong\n');
  expect(err).toContain('no \\u0007\\u001b[2J\\u009b2J\\u2028\\u202e here');
});
