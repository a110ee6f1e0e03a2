import type { Series, Trace } from '@ebb/simulator';
import { runFleet } from './fleet.ts';
import type { Settings } from './settings.ts';

/** Messages of the worker: its progress, its result, or its error. */
export type FleetMessage =
  | { readonly type: 'progress'; readonly share: number; readonly series: Series }
  | { readonly type: 'trace'; readonly trace: Trace; readonly tookMs: number }
  | { readonly type: 'failed'; readonly message: string };

function tell(message: FleetMessage): void {
  postMessage(message);
}

addEventListener('message', ({ data }: MessageEvent<Settings>) => {
  const startMs = performance.now();
  try {
    const trace = runFleet(data, (share, series) => tell({ type: 'progress', share, series }));
    tell({ type: 'trace', trace, tookMs: performance.now() - startMs });
  } catch (error) {
    tell({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
});
