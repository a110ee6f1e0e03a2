import { timeScale } from './time-chart.ts';

/** A sequence of evenly spaced moments. */
export interface Film {
  readonly moments: number;
  readonly stepMs: number;
  /** The time to play it, in milliseconds. */
  readonly playMs: number;
  textAt(moment: number): string;
}

/** A slider over the moments of some figures. It can be played, and pointing at a figure moves it. */
export class Moments {
  readonly #plots: readonly HTMLElement[];
  readonly #input: HTMLInputElement;
  readonly #output: HTMLElement;
  readonly #button: HTMLButtonElement;
  #film: Film | undefined;
  #frame = 0;
  #playing = false;

  constructor(place: HTMLElement, plots: readonly HTMLElement[]) {
    this.#plots = plots;
    this.#input = place.querySelector('input') as HTMLInputElement;
    this.#output = place.querySelector('output') as HTMLElement;
    this.#button = place.querySelector('[data-play]') as HTMLButtonElement;
    this.#input.addEventListener('input', () => {
      this.#stop();
      this.#show();
    });
    this.#button.addEventListener('click', () => (this.#playing ? this.#stop() : this.#play()));
    this.#name('Play');
    for (const plot of plots) {
      plot.addEventListener('pointermove', (event) => {
        if (event.pointerType === 'mouse' && !this.#playing) this.#point(plot, event.offsetX);
      });
    }
  }

  /** Shows another film at the current moment; the first film at its end. */
  load(film: Film): void {
    const first = this.#film === undefined;
    this.#film = film;
    this.#input.max = String(film.moments - 1);
    if (first) this.#input.value = this.#input.max;
    this.#show();
  }

  #show(): void {
    const film = this.#film;
    if (film === undefined) return;
    const moment = this.#input.valueAsNumber;
    const text = film.textAt(moment);
    this.#output.textContent = text;
    this.#input.setAttribute('aria-valuetext', text);
    const mostMs = (film.moments - 1) * film.stepMs;
    for (const plot of this.#plots) {
      const x = timeScale(plot.clientWidth, mostMs)(moment * film.stepMs);
      plot.querySelector('[data-cursor]')?.setAttribute('transform', `translate(${x} 0)`);
    }
  }

  #point(plot: HTMLElement, x: number): void {
    const film = this.#film;
    if (film === undefined) return;
    const ends = timeScale(plot.clientWidth, film.moments - 1);
    const share = (x - ends(0)) / (ends(film.moments - 1) - ends(0));
    this.#input.value = String(Math.round(share * (film.moments - 1)));
    this.#show();
  }

  #name(word: string): void {
    this.#button.textContent = word;
    this.#button.setAttribute('aria-label', `${word} ${this.#button.dataset.play}`);
  }

  #play(): void {
    const film = this.#film;
    if (film === undefined) return;
    this.#playing = true;
    this.#name('Pause');
    for (const plot of this.#plots) plot.classList.add('playing');
    const last = film.moments - 1;
    const from = this.#input.valueAsNumber >= last ? 0 : this.#input.valueAsNumber;
    const startMs = performance.now();
    const step = (nowMs: number): void => {
      const moment = Math.floor(from + ((nowMs - startMs) / film.playMs) * last);
      this.#input.value = String(Math.min(last, Math.max(from, moment)));
      this.#show();
      if (moment >= last) this.#stop();
      else this.#frame = requestAnimationFrame(step);
    };
    this.#frame = requestAnimationFrame(step);
  }

  #stop(): void {
    cancelAnimationFrame(this.#frame);
    this.#playing = false;
    this.#name('Play');
    for (const plot of this.#plots) plot.classList.remove('playing');
  }
}
