/** What is used of an `AsyncLocalStorage`. */
export interface Storage<T> {
  getStore(): T | undefined;
  run<R>(store: T, callback: () => R): R;
}

interface NodeProcess {
  readonly versions?: { readonly undici?: string };
  getBuiltinModule?(id: 'node:async_hooks'): { AsyncLocalStorage: new <T>() => Storage<T> } | undefined;
  getBuiltinModule?(id: 'node:diagnostics_channel'): {
    subscribe(channel: string, listener: (message: unknown) => void): void;
  };
}

/** Node's, or that of a runtime which does as Node. Its modules are not imported: a bundler would stumble over them. */
export const nodeProcess: NodeProcess | undefined = (globalThis as { process?: NodeProcess }).process;

/** Whether what happens in a call can be told from what happens beside it. */
export const hasAsyncContext: boolean = nodeProcess?.getBuiltinModule?.('node:async_hooks') !== undefined;
