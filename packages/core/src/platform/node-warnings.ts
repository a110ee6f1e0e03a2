interface Reporters {
  readonly process?: { emitWarning?(warning: Error): void };
  reportError?(error: unknown): void;
}

/** Warns as Node does if possible, since `reportError` ends the process in Deno. */
export function emit(warning: Error): void {
  const { process, reportError } = globalThis as Reporters;
  if (typeof process?.emitWarning === 'function') process.emitWarning(warning);
  else if (typeof reportError === 'function') reportError(warning);
}
