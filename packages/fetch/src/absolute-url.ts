/** Where relative URLs are resolved against; neither is there outside of browsers and their workers. */
interface Place {
  readonly document?: { readonly baseURI?: string };
  readonly location?: { readonly href?: string };
}

function base(): string | undefined {
  try {
    const { document, location } = globalThis as Place;
    return document?.baseURI ?? location?.href;
  } catch {
    // Deno has a location that throws.
    return undefined;
  }
}

/** The URL that fetch will ask; as it is if fetch will refuse it. */
export function absoluteUrl(input: unknown): string {
  const url = String(input);
  if (URL.canParse(url)) return url;
  return URL.parse(url, base())?.href ?? url;
}
