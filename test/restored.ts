import { afterAll, vi } from 'vitest';

// For files that change what all of a program shares, and have their processes together: after each of them the globals,
// the mocks and the modules are as they were before, and the layers that ebb knows of are gone.

const before = Object.getOwnPropertyDescriptors(globalThis) as PropertyDescriptorMap;

function restoreGlobals(): void {
  for (const [name, now] of Object.entries(Object.getOwnPropertyDescriptors(globalThis))) {
    const was = before[name];
    // The runner's own begin so.
    if (name.startsWith('__') || (was?.value === now.value && was?.get === now.get)) continue;
    if (was === undefined) Reflect.deleteProperty(globalThis, name);
    else Object.defineProperty(globalThis, name, was);
  }
  for (const symbol of Object.getOwnPropertySymbols(globalThis))
    if (symbol.description?.startsWith('@ebb/')) Reflect.deleteProperty(globalThis, symbol);
}

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.resetModules();
  restoreGlobals();
});
