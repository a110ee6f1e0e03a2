/** What no one has caught: exceptions of callbacks, and rejections. */
export interface Escape {
  /** The same for the same error from the same place. */
  readonly signature: string;
  readonly error: unknown;
}

function signatureOf(kind: string, error: unknown): string {
  if (!(error instanceof Error)) return `${kind} ${String(error)}`;
  const place = error.stack?.split('\n').find((line) => line.includes('/packages/'));
  const message = error.message.replace(/\d{2,}/g, '#');
  return `${kind} ${error.name}: ${message} ${place?.replace(/^.*\/packages\//, 'at ').replace(/\)$/, '') ?? ''}`.trim();
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
