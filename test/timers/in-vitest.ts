import { vi } from 'vitest';
import { type Fakes, NO_DATE, type Row } from './fakes.ts';
import { type Played, playAll, type When } from './play.ts';
import type { Packages } from './situations.ts';

function vitestTimers(...toFake: ('setTimeout' | 'clearTimeout')[]): Fakes {
  return {
    install: () => void vi.useFakeTimers(toFake.length === 0 ? undefined : { toFake }),
    remove: () => void vi.useRealTimers(),
    tick: (durationMs) => void vi.advanceTimersByTime(durationMs),
    pending: () => vi.getTimerCount(),
  };
}

/** They exist in a test of vitest alone. */
export const ofVitest: readonly Row[] = [
  { name: 'vitest', make: () => vitestTimers() },
  { name: 'vitest, timers alone', make: () => vitestTimers('setTimeout', 'clearTimeout'), late: NO_DATE },
];

/** New copies of ebb. */
async function load(): Promise<Packages> {
  vi.resetModules();
  return {
    core: await import('@ebb/core'),
    fetch: await import('@ebb/fetch'),
    fetchHedged: await import('@ebb/hedge/fetch'),
    fetchResumable: await import('@ebb/resume/fetch'),
    axios: (await import('axios')).default,
    ebbAxios: await import('@ebb/axios'),
    axiosHedged: await import('@ebb/hedge/axios'),
    undici: await import('undici'),
    ebbUndici: await import('@ebb/undici'),
    undiciHedge: await import('@ebb/hedge/undici'),
    undiciResumable: await import('@ebb/resume/undici'),
  };
}

export async function playInVitest(row: Row, when: When): Promise<Played[]> {
  // Under fakes vitest itself may be slow to load a module that it has not loaded before.
  await load();
  return playAll(row, when, 'Node', load);
}
