/**
 * What the modules export that may be a copy of axios: those in the `require` cache with axios in their path, and then the
 * ES modules beside them. A CommonJS program may use an instance of the latter without a way to import it: that of a
 * dependency that is an ES module, as `@nestjs/axios` is. Reading other modules could trigger their getters.
 */
export declare function loadedModules(): Generator<unknown>;
//# sourceMappingURL=loaded-modules.d.ts.map