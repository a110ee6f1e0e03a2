/**
 * A URL without its credentials, its query and its fragment. Of a URL that has no host, such as `data:`, only the scheme is
 * left.
 */
export function withoutSecrets(url: string): string {
  const { protocol, host, pathname } = URL.parse(url) ?? {};
  if (protocol === undefined) return relative(url);
  return host === '' ? protocol : `${protocol}//${host}${pathname}`;
}

/** A relative URL; of other text only what comes before the host, since it is not known where credentials end. */
function relative(url: string): string {
  return /^[^/\\?#]*[/\\]{2}/.exec(url)?.[0] ?? url.replace(/[?#].*$/s, '');
}
