type Cache = Readonly<Record<string, { readonly exports?: unknown } | undefined>>;
type Require = ((path: string) => unknown) & { readonly cache?: Cache };

interface NodeLike {
  readonly process?: {
    readonly execPath: string;
    getBuiltinModule?(id: string): { createRequire(path: string): Require } | undefined;
  };
}

/** The file of axios that `require` loads. */
const REQUIRED = /[\\/]dist[\\/](node|browser)[\\/]axios\.cjs$/;

/** The file that `import` loads, as seen from the other. */
const IMPORTED = '../../index.js';

/**
 * What the modules export that may be a copy of axios: those in the `require` cache with axios in their path, and then the
 * ES modules beside them. A CommonJS program may use an instance of the latter without a way to import it: that of a
 * dependency that is an ES module, as `@nestjs/axios` is. Reading other modules could trigger their getters.
 */
export function* loadedModules(): Generator<unknown> {
  const { process } = globalThis as NodeLike;
  let createRequire: ((path: string) => Require) | undefined;
  let cache: Cache | undefined;
  try {
    createRequire = process?.getBuiltinModule?.('node:module')?.createRequire;
    cache = createRequire?.(process?.execPath as string).cache;
  } catch {
    // A runtime that has the function, but no such cache.
  }
  if (createRequire === undefined || cache === undefined) return;
  const paths = Object.keys(cache).filter((path) => /axios/i.test(path));
  for (const path of paths) yield cache[path]?.exports;
  for (const path of paths.filter((one) => REQUIRED.test(one))) {
    try {
      yield createRequire(path)(IMPORTED);
    } catch {
      // A runtime that cannot require an ES module, or a package with other files.
    }
  }
}
