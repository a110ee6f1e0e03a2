import { property } from './property.ts';

interface Reporters {
  readonly process?: { emitWarning?(warning: Error): void };
  reportError?(error: unknown): void;
}

/**
 * An error's name, message and stack. Its other fields may hold secrets, as the `config` of axios's errors does, and no one
 * looks at what a warning carries before it is logged.
 */
function withoutFields(cause: unknown): unknown {
  if (!(cause instanceof Error)) return undefined;
  const read = (name: string): string => String(property(cause, name) ?? '');
  return Object.assign(new Error(read('message')), { name: read('name'), stack: read('stack') });
}

/** Warns as Node does if possible, since `reportError` ends the process in Deno. */
export function warn(text: string, cause?: unknown): void {
  const { process, reportError } = globalThis as Reporters;
  const warning = new Error(text, cause === undefined ? undefined : { cause: withoutFields(cause) });
  warning.name = 'EbbWarning';
  if (typeof process?.emitWarning === 'function') process.emitWarning(warning);
  else if (typeof reportError === 'function') reportError(warning);
}
