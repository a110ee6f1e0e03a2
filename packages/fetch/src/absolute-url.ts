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

/** The URL that fetch will request; the input as a string if fetch will reject it. */
export function absoluteUrl(input: unknown): string {
  const url = String(input);
  if (URL.canParse(url)) return url;
  return URL.parse(url, base())?.href ?? url;
}
