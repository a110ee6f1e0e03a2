import type { EbbEvent } from './events.ts';
import { isNamed, lineOf } from './line.ts';

// Browsers have no `node:diagnostics_channel`. With `localStorage.debug = 'ebb'` they show each event in their console, but not in
// production builds, where no-channels.ts stands here.

/** Read once, as Node reads `NODE_DEBUG`. A page that may not read its storage gets an error for it. */
const isAsked: boolean = isEnabled();

function isEnabled(): boolean {
  try {
    return isNamed(
      (globalThis as { readonly localStorage?: { readonly debug?: unknown } }).localStorage?.debug,
    );
  } catch {
    return false;
  }
}

export function isSubscribed(_type: EbbEvent['type']): boolean {
  return isAsked;
}

export function publish(_type: EbbEvent['type'], event: EbbEvent): void {
  // Consoles have their own time.
  if (isAsked) console.debug(`ebb ${lineOf(event)}`);
}
