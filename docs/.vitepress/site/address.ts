/**
 * Where the site is published: `DOCS_URL`, such as `https://ebb.example/docs/`. Without it the site is at the root of its
 * host, whose name is not known.
 */
const given = process.env.DOCS_URL;

if (given !== undefined && !/^https?:\/\/[^/]+\/([^?#]*\/)?$/.test(given)) {
  throw new RangeError(`DOCS_URL must be an http address that ends with a slash, got ${given}`);
}

/** The path of the site on its host, with a slash at both ends. */
export const base: string = given === undefined ? '/' : new URL(given).pathname;

/** The address of the site if it is known, else its path. */
export const address: string = given ?? base;

/** The host for a site map, if it is known. */
export const sitemap: { hostname: string } | undefined =
  given === undefined ? undefined : { hostname: given };
