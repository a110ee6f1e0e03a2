import type { Series, Trace } from '@ebb/simulator';
import { fleetKey } from './fleet.ts';
import type { FleetMessage } from './fleet.worker.ts';
import type { Settings } from './settings.ts';

/** A run starts when the settings have not changed for this long: a slider that is dragged changes them often. */
const SETTLE_MS = 80;

export interface FleetListener {
  started(): void;
  /** Called with the share of the run that is done, and the series up to there. */
  progress(share: number, series: Series, settings: Settings): void;
  done(trace: Trace, settings: Settings, tookMs: number): void;
  failed(message: string): void;
}

/** Runs the fleet in a worker. Terminates the worker of a run that is no longer needed. */
export class FleetRuns {
  readonly #listener: FleetListener;
  #worker: Worker | undefined;
  #busy = false;
  #timer = 0;
  #key = '';

  constructor(listener: FleetListener) {
    this.#listener = listener;
  }

  /** Requests a run, and cancels the current one. */
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
