// Sends the requests of the programs on the page to the upstream of the test, whatever their origin.
const upstream = process.env.UPSTREAM_URL ?? '';
const nativeFetch = globalThis.fetch;

globalThis.fetch = (input, init) => {
  const { href, origin } = new URL(input instanceof Request ? input.url : input);
  const url = upstream + href.slice(origin.length);
  return nativeFetch(input instanceof Request ? new Request(url, input) : url, init);
};
