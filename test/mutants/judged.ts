/** A package, the sources of which are mutated. */
export interface Judged {
  /** The least score of all its parts together, in percent. */
  readonly least: number;
  /** How many parts `check mutants` runs one after the other. */
  readonly parts: number;
  /** Sources that other tests judge: those of the entries for browsers and workers, or those that start a program for each case. */
  readonly without: readonly string[];
  /** The tests that judge it, as globs. */
  readonly tests: readonly string[];
  /** Those of them that `test` runs in processes of their own, and that pass here, too. */
  readonly alone?: RegExp;
}

/** Tests that cross packages. Each runs for the mutants that it reaches. */
const CROSSING =
  'actual-cost,adapters,event-order,http2,layers,features,limits,lost-uploads,request-body,strange-errors,user-code';

const adapter = (name: string, least: number, parts: number, more: string): Judged => ({
  least,
  parts,
  without: ['**/{platform/web,register,register-config}.ts'],
  tests: [
    `packages/${name}/src/**/*.test.ts`,
    `packages/{hedge,resume}/src/${name}/**/*.test.ts`,
    `test/{${CROSSING},${more}}.test.ts`,
  ],
  alone: new RegExp(`^test/layers|^packages/${name}/(?!.*(?:collected|exit))`),
});

/** By the names of their folders. */
export const JUDGED: Readonly<Record<string, Judged>> = {
  core: {
    least: 91,
    parts: 8,
    without: ['**/{platform/web,platform/worker,nested/web,events/console}.ts'],
    tests: [
      'packages/{core,fetch}/src/**/*.test.ts',
      'packages/{compat,hedge,providers,resume}/src/**/*.test.ts',
      'packages/axios/src/{inspect,body/peek-*,body/read-ahead,body/slots,body/streamed-response}.test.ts',
      'packages/undici/src/inspect*.test.ts',
      'test/{actual-cost,answer,broken-bodies,deadline,event-order,lost-uploads,refresh-on-401,request-body,resumable,deduplicate,features,hedges,limits,presets,provider-headers,cost-from-response,throttle,user-code,stale-connections,policy-bucket,permits,idempotency}.test.ts',
      'test/migration/like/*.test.ts',
    ],
    // Not those that load all of core anew: what runs at load would count, too.
    alone: /^packages\/core\/src\/(?:events\/channels|nested\/)|^test\/stale/,
  },
  fetch: adapter('fetch', 90, 2, 'answer,broken-bodies,deduplicate,deadline,throttle'),
  axios: adapter('axios', 87, 2, 'deduplicate,layers-axios,proxies'),
  undici: adapter('undici', 86, 2, 'layers-undici'),
};

export function judgedBy(name: string): Judged {
  const judged = JUDGED[name];
  if (judged === undefined) throw new RangeError(`no package of ${Object.keys(JUDGED)} is "${name}"`);
  return judged;
}
