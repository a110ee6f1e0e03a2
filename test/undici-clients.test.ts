import { suite } from '@ebb/testing';
import * as undici8 from 'undici';
import * as undici7 from 'undici7';
import { describe, test } from 'vitest';
import { eachNth } from './pairs.ts';
import { type Facts, factsOf } from './runtimes/facts.ts';
import { dispatcherFetchClient, type Undici, undiciClient } from './undici-client.ts';

// test/adapters.test.ts plays each row over `request` of undici 8, and `check runtimes` over older versions.

const versions = { 'undici 8': undici8, 'undici 7': undici7 as unknown as typeof undici8 };
/** Tests run on each version of Node. */
const major = process.versions.node.split('.')[0] as '22' | '24' | '26';
const runtime = `Node ${major}` as const;

/** Its agents have so many connections. */
function limited({ Agent, request }: Undici, limits: { readonly connections: number } | undefined): Undici {
  class Limited extends Agent {
    constructor() {
      super({ connections: 10, ...limits });
    }
  }
  return { Agent: Limited as typeof Agent, request };
}

/** The facts, without what the grid of runtimes leaves to others. */
function withPool({ lacks = {}, ...facts }: Facts): Facts {
  const { pool: _, ...others } = lacks;
  return { ...facts, lacks: others };
}

suite(eachNth({ describe, test }, 3, 0), {
  ...withPool(factsOf({ runtime, row: 'undici' })),
  name: 'request of undici 7',
  client: (policy, limits) => undiciClient(versions['undici 7'], policy, limits),
});

const fetches = Object.entries(versions).flatMap(([version, undici]) => [
  // As the fetch of Node 24, on each Node.
  [`fetch of ${version}`, undici, undici.fetch, 'Node 24'] as const,
  [`Node's fetch over ${version}`, undici, fetch, runtime] as const,
]);
for (const [at, [name, undici, send, as]] of fetches.entries()) {
  suite(eachNth({ describe, test }, 3, at), {
    ...withPool(factsOf({ runtime: as, row: "Node's fetch" })),
    name,
    client: (policy, limits) => dispatcherFetchClient(send, limited(undici, limits), policy),
  });
}
