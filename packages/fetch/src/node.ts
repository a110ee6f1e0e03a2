/** The part of `AsyncLocalStorage` in use. */
export interface Storage<T> {
  getStore(): T | undefined;
  run<R>(store: T, callback: () => R): R;
}

interface NodeProcess {
  readonly versions?: { readonly undici?: string };
  getBuiltinModule?(id: 'node:async_hooks'): { AsyncLocalStorage: new <T>() => Storage<T> } | undefined;
  getBuiltinModule?(id: 'node:stream'): { finished(stream: object, ended: () => void): unknown };
  getBuiltinModule?(id: 'node:diagnostics_channel'): {
    subscribe<T>(channel: string, listener: (message: T) => void): void;
  };
}

/** The `process` of Node or a compatible runtime. Node's modules are not imported, because bundlers fail on them. */
export const nodeProcess: NodeProcess | undefined = (globalThis as { process?: NodeProcess }).process;

/** True if the runtime tracks the async context of a call. */
export const hasAsyncContext: boolean = nodeProcess?.getBuiltinModule?.('node:async_hooks') !== undefined;
