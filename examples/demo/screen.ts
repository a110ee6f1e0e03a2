import { setTimeout as pause } from 'node:timers/promises';

const { stdout } = process;

/** The rows that the lanes of an act and their axis need. */
const LEAST_ROWS = 16;

/** True on a terminal that is large enough and can move the cursor, so that lines can be redrawn. */
export const live: boolean =
  stdout.isTTY && process.env.TERM !== 'dumb' && stdout.columns >= 80 && stdout.rows >= LEAST_ROWS;

export function say(...lines: string[]): void {
  stdout.write(`${lines.join('\n')}\n`);
}

/** Pauses for reading, on a terminal only. */
export async function letRead(durationMs: number): Promise<void> {
  if (live) await pause(durationMs);
}

/** Redraws a block of lines until the promise settles. Off a terminal it prints the final block once. */
export async function show(block: () => string[], until: Promise<unknown>): Promise<void> {
  if (!live) {
    await until;
    return say('', ...block());
  }
  let drawn = 0;
  const frame = (): void => {
    const lines = block();
    const up = drawn > 0 ? `\x1b[${drawn}A` : '';
    stdout.write(`${up}${lines.map((line) => `${line}\x1b[K\n`).join('')}`);
    drawn = lines.length;
  };
  frame();
  const timer = setInterval(frame, 60);
  try {
    await until;
  } finally {
    clearInterval(timer);
    frame();
  }
}
