import { setTimeout as pause } from 'node:timers/promises';

const { stdout } = process;

/** Room for the lanes of an act and their axis. */
const LEAST_ROWS = 16;

/** Whether what is on screen may be drawn over: on a terminal that can, and has the room. */
export const live: boolean =
  stdout.isTTY && process.env.TERM !== 'dumb' && stdout.columns >= 80 && stdout.rows >= LEAST_ROWS;

export function say(...lines: string[]): void {
  stdout.write(`${lines.join('\n')}\n`);
}

/** Time to read; where nobody watches, none is needed. */
export async function letRead(durationMs: number): Promise<void> {
  if (live) await pause(durationMs);
}

/** Shows a block of lines, over and over while it changes; where that cannot be, once, when it is done. */
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
