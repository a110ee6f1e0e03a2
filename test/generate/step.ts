import type { Draw } from './draw.ts';

/** What the server does with one request. */
const BEHAVIOURS = [
  'ok', // a length
  'chunked',
  'until-close', // no length, no chunks: the end of the connection is the end of the body
  'status', // any status of trouble, perhaps with Retry-After
  'reset-before', // once the headers of the request are there, or its body
  'close-before',
  'reset-in-headers',
  'reset-after-headers',
  'reset-in-body',
  'close-in-body',
  'slow', // in parts, with a pause between them
  'late', // the headers come late
  'silent', // no response for a while, then the connection ends
  'redirect', // to the same origin
  'redirect-away', // to the other origin
  'redirect-dead', // to a port that refuses
  'informational', // 103, then a response
  'no-content', // 204
  'not-modified', // 304
  'gzip',
  'gzip-cut',
  'events',
  'events-cut',
  'file', // a strong ETag: the rest can be asked for
  'file-cut',
  'lie', // as a file that is cut; a request for the rest gets a 206 with other bytes than it says
  'etag-changed', // as a file that is cut; a request for the rest gets another version
  'usage', // says what the request has cost
  'early', // responds before the body of the request has arrived
  'garbage', // no HTTP
] as const;

export type Behaviour = (typeof BEHAVIOURS)[number];

/** One entry of a server's script. */
export interface Step {
  readonly do: Behaviour;
  /** Of the body of the response, in bytes. */
  readonly size?: number;
  readonly status?: number;
  /** The value of `Retry-After`. */
  readonly wait?: string;
  /** What the response says that the request has cost. */
  readonly used?: number | string;
}

const SIZES = [0, 1, 20, 300, 300, 2_000, 20_000, 70_000, 300_000];
const TROUBLE = [429, 429, 429, 500, 502, 503, 503, 503, 504, 400, 403, 404, 408, 409, 413, 501];
const REDIRECTS = [301, 302, 303, 307, 308];
/** At most 30 ms, but one that is too long to wait for. */
const WAITS = ['0', '0.003', '0.02', '-5', 'abc', '86400', 'Fri, 01 Jan 2016 00:00:00 GMT'];
const USED = [0, 1, 3, 1e9, -1, 'many', 1e300];

/** These are what most servers do most of the time. */
const COMMON: readonly Behaviour[] = [
  'ok',
  'chunked',
  'status',
  'status',
  'status',
  'reset-before',
  'reset-in-body',
  'slow',
];

/** @param favoured what the parts of a case are about, if anything */
export function drawStep(draw: Draw, favoured: readonly Behaviour[]): Step {
  const isFavoured = draw.chance(0.35) && favoured.length > 0;
  const does = isFavoured
    ? draw.pick(favoured)
    : draw.chance(0.45)
      ? draw.pick(COMMON)
      : draw.pick(BEHAVIOURS);
  const size = draw.pick(SIZES);
  if (does === 'status' || does === 'early') {
    const wait = draw.maybe(0.25, () => draw.pick(WAITS));
    return { do: does, size, status: draw.pick(TROUBLE), ...(wait !== undefined && { wait }) };
  }
  if (does.startsWith('redirect'))
    return { do: does, size: draw.pick([0, 20]), status: draw.pick(REDIRECTS) };
  if (does === 'usage') return { do: does, size, used: draw.pick(USED) };
  return { do: does, size };
}
