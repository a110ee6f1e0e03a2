import { stripVTControlCharacters, styleText } from 'node:util';

const { stdout } = process;

/** True on a terminal that is large enough and can move the cursor, so that lines can be redrawn. */
const live = stdout.isTTY && process.env.TERM !== 'dumb' && stdout.columns >= 80 && stdout.rows >= 20;

export function say(...lines: string[]): void {
  const text = `${lines.join('\n')}\n`;
  stdout.write(stdout.isTTY ? text : stripVTControlCharacters(text));
}

/** What happened since the last view. */
export interface View {
  readonly atMs: number;
  /** Requests per second, of each process. */
  readonly each: readonly number[];
  readonly refusedPerSecond: number;
  readonly quota: number;
  /** Which processes are without the store, each on its own share. */
  readonly alone: readonly boolean[];
}

const EIGHTHS = ' ▏▎▍▌▋▊▉';

function bar(part: number, width: number): string {
  const eighths = Math.round(Math.min(1, part) * width * 8);
  return `${'█'.repeat(eighths >> 3)}${EIGHTHS[eighths & 7] ?? ''}`.trimEnd().padEnd(width);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
const figure = (number: number): string => Math.round(number).toLocaleString('en').padStart(5);

function frame({ each, refusedPerSecond, quota, alone }: View): string[] {
  const most = Math.max(quota / 4, ...each);
  const lines = each.map((perSecond, index) => {
    const share = alone[index] ? 'its own share' : '';
    return `  process ${index + 1}  ${styleText('cyan', bar(perSecond / most, 40))} ${figure(perSecond)}/s  ${share}`;
  });
  const all = sum(each);
  const colour = all > quota * 1.2 ? 'red' : 'green';
  const total = styleText(colour, `${figure(all)}/s`);
  const refused = refusedPerSecond > 0 ? `, ${figure(refusedPerSecond).trim()} of them refused with 429` : '';
  return [...lines, `  ${'all together'.padEnd(51)}${total}, of ${quota}/s${refused}`];
}

function row({ atMs, each, refusedPerSecond, quota, alone }: View): string {
  const share = alone.some(Boolean) ? `, ${alone.filter(Boolean).length} alone` : '';
  const parts = each.map((perSecond) => `${Math.round(perSecond)}`.padStart(4)).join('');
  const at = `${(atMs / 1_000).toFixed(1)} s`.padStart(6);
  return `${at} ${parts}  all ${figure(sum(each)).trim()}/${quota}, 429s ${Math.round(refusedPerSecond)}${share}`;
}

/** Redraws the view on a terminal. Otherwise prints a line every half second. */
export async function watch(look: (sinceMs: number) => View, untilMs: number): Promise<void> {
  const stepMs = live ? 250 : 500;
  let drawn = 0;
  for (let atMs = stepMs; atMs <= untilMs + 1; atMs += stepMs) {
    await new Promise((resolve) => setTimeout(resolve, stepMs));
    const view = look(stepMs);
    if (!live) {
      say(row(view));
      continue;
    }
    const lines = frame(view);
    stdout.write(`${drawn > 0 ? `\x1b[${drawn}A` : ''}${lines.map((line) => `${line}\x1b[K\n`).join('')}`);
    drawn = lines.length;
  }
}
