// Sends the requests of the programs on the page to the upstream of the test, whatever their origin.
const upstream = process.env.UPSTREAM_URL ?? '';

/** A fetch that sends to the upstream. */
export function toUpstream(base: typeof fetch): typeof fetch {
  return (input, init) => {
    const { href, origin } = new URL(input instanceof Request ? input.url : input);
    // What the test itself asks of an application on this machine.
    const url = /^http:\/\/(127\.|localhost)/.test(href) ? href : upstream + href.slice(origin.length);
    return base(input instanceof Request ? new Request(url, input) : url, init);
  };
}

globalThis.fetch = toUpstream(globalThis.fetch);
