/** The base of relative URLs: `document` in browsers, `location` also in their workers, neither elsewhere. */
interface PageGlobals {
  readonly document?: { readonly baseURI?: string };
  readonly location?: { readonly href?: string };
}

function base(): string | undefined {
  try {
    const { document, location } = globalThis as PageGlobals;
    return document?.baseURI ?? location?.href;
  } catch {
    // Deno has a location that throws.
    return undefined;
  }
}

/** Enough to know that a base does not matter. Parsing takes three times as long, and a bucket asks for each request. */
const WHOLE = /^https?:\/\//i;

/** The URL that fetch will request; the input as a string if fetch will reject it. */
export function absoluteUrl(input: unknown): string {
  const url = String(input);
  if (WHOLE.test(url) || URL.canParse(url)) return url;
  return URL.parse(url, base())?.href ?? url;
}
