import type { VirtualClock } from '@ebb/core/testing';

/** Replaces the timers and `Date.now` of this process, for libraries that have no clock of their own. */
export function useAsGlobals(clock: VirtualClock): void {
  const timer = (cancel: () => void) => {
    const handle = { cancel, ref: () => handle, unref: () => handle, hasRef: () => true };
    return handle;
  };
  type Timer = ReturnType<typeof timer>;
  const clear = (handle?: Timer): void => handle?.cancel?.();
  const globals = {
    setTimeout: (call: (...args: unknown[]) => void, delayMs = 0, ...args: unknown[]): Timer =>
      timer(clock.schedule(() => call(...args), delayMs)),
    setInterval: (call: (...args: unknown[]) => void, everyMs = 0, ...args: unknown[]): Timer => {
      const handle = timer(() => undefined);
      const again = (): void => {
        handle.cancel = clock.schedule(
          () => {
            again();
            call(...args);
          },
          Math.max(1, everyMs),
        );
      };
      again();
      return handle;
    },
    clearTimeout: clear,
    clearInterval: clear,
  };
  Object.assign(globalThis, globals);
  Date.now = clock.now;
}
