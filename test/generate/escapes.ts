/** An exception of a callback, or a rejection, that no handler has caught. */
export interface Escape {
  /** The same for the same error. */
  readonly signature: string;
  readonly error: unknown;
}

function signatureOf(kind: string, error: unknown): string {
  if (!(error instanceof Error)) return `${kind} ${String(error)}`;
  return `${kind} ${error.name}: ${error.message.replace(/\d{2,}/g, '#')}`;
}

/** Where in ebb an error comes from, if it has a stack. */
export function placeOf(error: unknown): string {
  const stack = error instanceof Error ? error.stack : undefined;
  const line = stack?.split('\n').find((one) => /packages\/.*\.ts/.test(one));
  return line === undefined ? '' : ` at ${line.replace(/^.*\/packages\//, '').replace(/\)$/, '')}`;
}

/** Hears all escapes of this process, which otherwise would end it. */
export class Escapes {
  readonly #heard: Escape[] = [];
  /** Called with each, as it happens. */
  onEscape: (heard: Escape) => void = () => undefined;

  constructor() {
    process.on('uncaughtException', (error) => this.#hear('uncaught', error));
    process.on('unhandledRejection', (error) => this.#hear('unhandled', error));
    // Events of observers that throw are reported as warnings, once for each observer.
    process.removeAllListeners('warning');
  }

  #hear(kind: string, error: unknown): void {
    const heard = { signature: signatureOf(kind, error), error };
    this.#heard.push(heard);
    this.onEscape(heard);
  }

  /** Those since the last call. */
  take(): readonly Escape[] {
    return this.#heard.splice(0);
  }
}
