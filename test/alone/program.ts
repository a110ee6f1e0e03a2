// Bundled with one adapter into a program: `node PROGRAM` prints the rows of the suite, `node PROGRAM ROW` plays one of them.
import { type AdapterUnderTest, rowsFor } from '@ebb/testing';

/** How long a row may take. For hangs only: the machine may be busy. */
const ROW_MS = 50_000;

/** What a program prints: nothing is wrong if it is empty. */
export type Wrong = readonly string[];

/** An error and its causes as text. */
function textOf(error: unknown): string {
  const { message = String(error), cause } = (error ?? {}) as { message?: string; cause?: unknown };
  return cause === undefined ? message : `${message}\ncaused by ${textOf(cause)}`;
}

/** What keeps the program from ending. */
const open = (): string => process.getActiveResourcesInfo().join(', ');

/** Drops what is no longer referenced, and lets its finalizers run: a program that lives long does so at any moment. */
async function collect(): Promise<void> {
  for (let left = 3; left > 0; left -= 1) {
    globalThis.gc?.();
    await new Promise(setImmediate);
  }
}

/** No timer here keeps the program from ending: what waits for nothing at all must show. */
function after(delayMs: number, act: () => void): NodeJS.Timeout {
  return setTimeout(act, delayMs).unref();
}

/**
 * Plays a row, lets the program end by itself, and prints what was wrong then.
 *
 * @param endMs how long the program may take to end after its row
 */
export async function program(
  adapter: AdapterUnderTest,
  name: string | undefined,
  endMs = 10_000,
): Promise<void> {
  const rows = rowsFor(adapter);
  if (name === undefined) {
    console.log(JSON.stringify(rows.map((row) => ({ name: row.name, skipped: row.skipped }))));
    return;
  }
  const row = rows.find((one) => one.name === name);
  let wrong: Wrong = ['the program ended before the row did'];
  process.on('exit', () => console.log(JSON.stringify(wrong)));
  const stuck = after(ROW_MS, () => {
    wrong = [`the row is not over after ${ROW_MS} ms; open: ${open()}`];
    process.exit();
  });
  const found = await (row?.run() ?? Promise.reject(new Error(`there is no row "${name}"`))).then(
    () => [],
    (error: unknown) => [textOf(error)],
  );
  await collect();
  wrong = found;
  clearTimeout(stuck);
  after(endMs, () => {
    wrong = [...wrong, `the program does not end; open: ${open()}`];
    process.exit();
  });
}
