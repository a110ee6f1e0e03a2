import { emit } from '#platform';
import { property } from './property.ts';

/**
 * An error's name, message and stack. Its other fields may hold secrets, as the `config` of axios's errors does, and no one
 * looks at what a warning carries before it is logged.
 */
function withoutFields(cause: unknown): unknown {
  if (!(cause instanceof Error)) return undefined;
  const read = (name: string): string => String(property(cause, name) ?? '');
  return Object.assign(new Error(read('message')), { name: read('name'), stack: read('stack') });
}

/** Shows a warning: by `process.emitWarning`, or in browsers by `reportError`. */
export function warn(text: string, cause?: unknown): void {
  const warning = new Error(text, cause === undefined ? undefined : { cause: withoutFields(cause) });
  warning.name = 'EbbWarning';
  emit(warning);
}
