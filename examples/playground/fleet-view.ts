import type { Series, Trace } from '@ebb/simulator';
import { secondsOf } from './fleet.ts';
import { drawFleet, fleetFinding, momentOf, SECOND_MS, tilesOf } from './fleet-chart.ts';
import { FleetRuns } from './fleet-runs.ts';
import { count, duration } from './format.ts';
import { Moments } from './moments.ts';
import { announce, element, find, plot, tell } from './page.ts';
import type { Settings } from './settings.ts';

/** The time in which a run is played. */
const PLAY_MS = 12_000;

/** A run and its settings. */
interface FleetRun {
  readonly trace: Trace;
  readonly settings: Settings;
}

/** The first seconds of a series. */
function firstOf(series: Series, seconds: number): Series {
  const counted = Object.entries(series).map(([name, counts]) => [name, counts.subarray(0, seconds)]);
  return Object.fromEntries(counted) as Series;
}

/** The fleet section of the page: shows the last run, and beside it a run that was kept. */
export class FleetView {
  readonly #plots = { calls: plot('calls'), amplification: plot('amplification'), queue: plot('queue') };
  readonly #figure = find('[data-fleet]');
  readonly #progress = find<HTMLProgressElement>('[data-progress]');
  readonly #forget = find<HTMLButtonElement>('[data-forget]');
  readonly #keep = find<HTMLButtonElement>('[data-keep]');
  readonly #moments = new Moments(find('[data-moments="fleet"]'), Object.values(this.#plots));
  #run: FleetRun | undefined;
  #kept: FleetRun | undefined;

  readonly #runs = new FleetRuns({
    started: () => this.#busy(true),
    progress: (share, series, settings) => {
      this.#progress.value = share;
      drawFleet(
        this.#plots,
        { series: firstOf(series, share * secondsOf(settings)), settings },
        this.#kept?.trace.series,
      );
    },
    done: (trace, settings, tookMs) => {
      this.#run = { trace, settings };
      this.#busy(false);
      const finding = fleetFinding(trace);
      tell('fleet', finding);
      find('[data-ran]').textContent = `${count(trace.events)} events in ${duration(tookMs)}`;
      this.draw();
      announce(finding);
    },
    failed: (message) => {
      this.#busy(false);
      tell('fleet', `The simulation failed: ${message}`);
    },
  });

  constructor() {
    this.#keep.addEventListener('click', () => this.#compareWith(this.#run));
    this.#forget.addEventListener('click', () => {
      this.#compareWith(undefined);
      this.#keep.focus();
    });
  }

  want(settings: Settings): void {
    this.#runs.want(settings);
  }

  draw(): void {
    const run = this.#run;
    if (run === undefined) return;
    drawFleet(this.#plots, { series: run.trace.series, settings: run.settings }, this.#kept?.trace.series);
    this.#showTiles(run);
    const { trace } = run;
    this.#moments.load({
      moments: trace.series.sends.length,
      stepMs: SECOND_MS,
      playMs: PLAY_MS,
      textAt: (second) => momentOf(trace.series, second),
    });
  }

  #busy(busy: boolean): void {
    this.#figure.setAttribute('aria-busy', String(busy));
    this.#progress.value = busy ? 0 : 1;
  }

  #compareWith(run: FleetRun | undefined): void {
    this.#kept = run;
    this.#forget.disabled = run === undefined;
    this.draw();
  }

  #showTiles({ trace }: FleetRun): void {
    const kept = this.#kept && tilesOf(this.#kept.trace);
    const tiles = tilesOf(trace).map(({ name, text, value }, at) => {
      const data = element('data', { value: String(value) }, text);
      const was = kept === undefined ? '' : `was ${kept[at]?.text}`;
      return element(
        'div',
        {},
        element('dt', {}, name),
        element('dd', {}, data, element('span', { className: 'note' }, was)),
      );
    });
    find('[data-tiles]').replaceChildren(...tiles);
  }
}
