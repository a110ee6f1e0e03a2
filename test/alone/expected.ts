const VERBS = [
  'acquire',
  'beforeAttempt',
  'ended',
  'judge',
  'onEvent',
  'planRetry',
  'plugin ended',
  'plugin started',
  'publicHeaders',
  'release',
  'settle',
  'started',
  'take',
  'wrapAttempt',
];

/** A function has no response to read, and runs with what the attempt has taken. */
const OF_A_FUNCTION = VERBS.filter((verb) => verb !== 'judge');

/** What each row of rows.ts finds, whatever other clients a program has. */
export const EXPECTED: Readonly<Record<string, { readonly hits: number; readonly found?: unknown }>> = {
  ...Object.fromEntries(
    ['fetch', 'axios', 'undici', 'retry'].map((client) => [
      `every hook of a plugin, and every verb of a limit, over ${client}`,
      { hits: 2, found: client === 'retry' ? OF_A_FUNCTION : VERBS },
    ]),
  ),
  'fetch alone': { hits: 3, found: 503 },
  'fetch over fetch': { hits: 3, found: 503 },
  'fetch over fetch, made during the call': { hits: 3, found: 503 },
  'fetch over fetch, imported during the call': { hits: 3, found: 503 },
  'fetch over fetch, after twenty calls without': { hits: 3, found: 503 },
  'fetch over a dispatcher': { hits: 3, found: 503 },
  'axios over a fetch made during the call': { hits: 3 },
  'dispatcher over dispatcher': { hits: 3, found: 503 },
  'retry of a fetch': { hits: 3 },
  'three retries over three slots of the same limit': { hits: 3, found: [200, 200, 200] },
  'a retry within a retry over one slot': { hits: 0, found: 'done' },
  'three failing retries over five slots': { hits: 3 },
  'a good retry pays once': { hits: 1, found: 9 },
  'a base fetch that calls the same client over one slot': { hits: 2, found: 200 },
  'inspect that calls the same client over one slot': { hits: 2, found: [200, true] },
  'actualCost that calls the same client over one slot': { hits: 2, found: [200, true] },
  'twelve calls over three slots, each with a token that its hook asks for': {
    hits: 24,
    found: Array(12).fill(200),
  },
};

/** The same in a program without other clients: the first call of a program does not find a client that is made during it. */
export const ALONE: typeof EXPECTED = {
  ...EXPECTED,
  'fetch over fetch, made during the call': { hits: 5, found: 503 },
  'fetch over fetch, imported during the call': { hits: 5, found: 503 },
};
