import type { Series, Trace } from '@ebb/simulator';
import { fleetKey } from './fleet.ts';
import type { FleetMessage } from './fleet.worker.ts';
import type { Settings } from './settings.ts';

/** A slider that is dragged stops for longer than this when it is where it should be. */
const SETTLE_MS = 80;

export interface FleetListener {
  started(): void;
  /** The run has come so far; what is counted holds for that share of it. */
  progress(share: number, series: Series, settings: Settings): void;
  done(trace: Trace, settings: Settings, tookMs: number): void;
  failed(message: string): void;
}

/** Runs the fleet in a worker. A run that nobody wants any more is ended with its worker, whatever it is at. */
export class FleetRuns {
  readonly #listener: FleetListener;
  #worker: Worker | undefined;
  #busy = false;
  #timer = 0;
  #key = '';

  constructor(listener: FleetListener) {
    this.#listener = listener;
  }

  /** Asks for a run, in place of the one that is under way. */
  want(settings: Settings): void {
    const key = fleetKey(settings);
    if (key === this.#key) return;
    this.#key = key;
    clearTimeout(this.#timer);
    if (this.#busy) this.#drop();
    this.#listener.started();
    this.#timer = window.setTimeout(() => this.#run(settings), SETTLE_MS);
  }

  #drop(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#busy = false;
  }

  #run(settings: Settings): void {
    const worker =
      this.#worker ?? new Worker(new URL('./fleet.worker.ts', import.meta.url), { type: 'module' });
    this.#worker = worker;
    this.#busy = true;
    worker.onmessage = ({ data }: MessageEvent<FleetMessage>) => {
      if (data.type === 'progress') return this.#listener.progress(data.share, data.series, settings);
      this.#busy = false;
      if (data.type === 'trace') this.#listener.done(data.trace, settings, data.tookMs);
      else this.#fail(data.message);
    };
    worker.onerror = (event) => {
      this.#drop();
      this.#fail(event.message || 'the worker could not be loaded');
    };
    worker.postMessage(settings);
  }

  #fail(message: string): void {
    // The same settings may be tried again.
    this.#key = '';
    this.#listener.failed(message);
  }
}
