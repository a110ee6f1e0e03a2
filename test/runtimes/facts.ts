// What differs in a row or a cell of the grid, and why. Skip a row only if the client cannot express it.
// Also runs in browsers: imports nothing from Node.
import type { AdapterUnderTest, Difference } from '@ebb/testing';
import { axiosOverHttp, timersLeft, traits } from '../traits.ts';
import type { GridRowName, RuntimeName } from './names.ts';

/** What the suite must know of a client in a runtime. */
export type Facts = Pick<AdapterUnderTest, 'differs' | 'does' | 'lacks' | 'skips' | 'timeoutError'>;

/** A cell of the grid. */
export interface Place {
  readonly row: GridRowName;
  /** Of undici. */
  readonly version?: string | undefined;
  readonly runtime: RuntimeName;
}

type Differences = Readonly<Record<string, Difference>>;

const named = (names: readonly string[], difference: Difference): Differences =>
  Object.fromEntries(names.map((name) => [name, difference]));

const IN_WORKERD = named(
  [
    'an abort while waiting for the response',
    'an abort while waiting for the response of a retry',
    'an abort by the signal of another library',
    'an abort in the body',
  ],
  { thrown: 'a copy of the reason', why: 'the reason of a signal is copied on its way to fetch' },
);

const NO_UPLOAD = 'a page can upload a stream only over HTTP/2';
const IN_CHROMIUM: Differences = {
  'a stream is sent once': { hits: 0, status: undefined, body: undefined, bodies: [], why: NO_UPLOAD },
  'a factory returns a new stream for each attempt': {
    delays: [10, 10, 10, 10, 10],
    hits: 0,
    status: undefined,
    bodies: [],
    reason: 'retries-exhausted',
    why: NO_UPLOAD,
  },
  'a 401 to a body that cannot be sent again': {
    hits: 0,
    status: undefined,
    body: undefined,
    reason: 'not-idempotent',
    why: NO_UPLOAD,
  },
};

const AXIOS_IN_CHROMIUM: Differences = {
  'a body with an ETag that breaks off': {
    hits: 3,
    why: 'the cache of a page first asks whether its part of the body can be completed',
  },
};

const AXIOS_IN_DENO = named(
  [
    'an abort while waiting for the response of a retry',
    'no response to a retry within totalTimeoutMs: the response before it',
    'the same with a response before that was too long to keep: reading it fails',
  ],
  { hits: 3, why: 'Deno repeats an aborted request that used a kept connection' },
);

/** That of Node 20 and 22 takes it. */
const OF_OTHER_LIBRARIES = named(
  [
    'an abort by the signal of another library',
    'an abort by the signal of another library during a look with a timeout',
    'the signal of another library, a look and a timeout',
  ],
  {
    ...{ hits: 0, status: undefined, body: undefined, bodies: [], reason: undefined, thrown: 'TypeError' },
    why: 'fetch refuses it before it dispatches',
  },
);

const BY_NODE_FETCH: Differences = {
  ...named(
    ['a token', 'a slot', 'a hook'].map((what) => `an upload that fails while waiting for ${what}`),
    { reason: 'aborted', why: 'fetch itself aborts a request whose body fails' },
  ),
  'an abort beforehand': { reason: undefined, why: 'fetch rejects before it dispatches' },
  'a POST that methods allows by its body': {
    delays: [],
    hits: 1,
    status: 503,
    reason: 'not-idempotent',
    why: 'fetch gives its dispatcher a stream',
  },
  'a cost by the body of the request': { waits: [1_000], why: 'fetch gives its dispatcher a stream' },
};

const RESUMES = ['resumes', 'resumesStreams'] as const;

function isFetch(row: GridRowName): boolean {
  return row === 'fetch' || row === 'fetch, resuming';
}

/**
 * What hides that a connection was refused: in Bun and Deno, and below axios, the error does not show whether the redirect
 * target refused it; in pages and workers a refused connection rejects with the message of a lost one.
 */
function hidesRefusals({ row, runtime }: Place): boolean {
  if (row === 'axios, fetch') return true;
  return (isFetch(row) || row === 'axios, xhr') && !runtime.startsWith('Node');
}

function lacksOf({ row, version, runtime }: Place): NonNullable<Facts['lacks']> {
  const pool = 'the rows about connections run in test/adapters.test.ts';
  const streams = 'XMLHttpRequest uploads no streams';
  if (row === 'axios, xhr') return { pool, streams, bodyFactories: streams };
  if (row === 'undici') return { pool, ...traits.undici.lacks };
  if (row !== "Node's fetch") return { pool };
  return {
    pool,
    requestOptions: 'fetch drops the option ebb',
    bodyFactories: 'fetch takes no function as a body',
    history: 'a Response of fetch has no context, and so no history',
    ...(version === '7.0' &&
      runtime === 'Node 26' && { redirects: 'it follows none over undici 7.0, also without ebb' }),
  };
}

function differsIn({ row, runtime }: Place): Differences {
  const isAxios = row.startsWith('axios');
  const isWeb = isFetch(row) || row === 'axios, fetch' || row === 'axios, xhr';
  return {
    ...(isAxios && traits.axios.differs),
    ...(row === 'undici' && traits.undici.differs),
    ...(isWeb && runtime === 'workerd' && IN_WORKERD),
    ...(isWeb && runtime === 'Chromium' && IN_CHROMIUM),
    ...(isFetch(row) && (runtime === 'Chromium' || runtime === 'workerd') && timersLeft),
    ...(row === 'axios, http' && axiosOverHttp),
    ...(isAxios && isWeb && runtime === 'Chromium' && AXIOS_IN_CHROMIUM),
    ...(row === 'axios, http' && runtime === 'Deno' && AXIOS_IN_DENO),
    ...(row === "Node's fetch" && BY_NODE_FETCH),
    ...(row === "Node's fetch" && !/^Node 2[02]/.test(runtime) && OF_OTHER_LIBRARIES),
  };
}

/** What the suite must know of a cell. */
export function factsOf(place: Place): Facts {
  const { row } = place;
  const isNodeFetch = row === "Node's fetch";
  const client = isFetch(row) ? 'fetch' : row.startsWith('axios') ? 'axios' : 'undici';
  return {
    ...traits[client],
    does: [
      ...(traits[client].does ?? []),
      ...(row === 'fetch, resuming' ? RESUMES : []),
      ...(hidesRefusals(place) ? (['hidesRefusals'] as const) : []),
    ],
    lacks: lacksOf(place),
    differs: differsIn(place),
    ...(isNodeFetch && {
      timeoutError: 'TypeError',
      skips: { 'a response before the upload is complete': 'a body of more than 1 MiB is sent once' },
    }),
  };
}
