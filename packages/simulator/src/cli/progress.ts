import { escapeControls } from '../studies/escape-controls.ts';

const WIDTH = 30;
const EVERY_MS = 100;
/** A shorter run shows no bar. */
const FROM_MS = 500;

/** A progress bar on a terminal. Draws nothing elsewhere. */
export class ProgressBar {
  readonly #stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;
  readonly #name: string;
  readonly #now: () => number;
  readonly #startedAtMs: number;
  #drawnAtMs = 0;

  constructor(
    stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>,
    name: string,
    now: () => number = () => performance.now(),
  ) {
    this.#stream = stream;
    this.#name = escapeControls(name);
    this.#now = now;
    this.#startedAtMs = now();
  }

  show(share: number): void {
    const nowMs = this.#now();
    if (!this.#stream.isTTY || nowMs - this.#startedAtMs < FROM_MS || nowMs - this.#drawnAtMs < EVERY_MS)
      return;
    this.#drawnAtMs = nowMs;
    const full = Math.round(share * WIDTH);
    const bar = '█'.repeat(full) + '░'.repeat(WIDTH - full);
    this.#stream.write(`\r${bar} ${String(Math.floor(100 * share)).padStart(3)} % ${this.#name}`);
  }

  clear(): void {
    if (this.#drawnAtMs > 0) this.#stream.write('\r\x1b[K');
  }
}
