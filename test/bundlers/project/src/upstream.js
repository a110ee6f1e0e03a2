globalThis.upstreamUrl = process.env.UPSTREAM_URL;
