import { Draw } from './draw.ts';
import { drawParts, favouredBy, type Parts } from './parts.ts';
import { drawStep, type Step } from './step.ts';

/** The clients, each over sockets of its own. */
const CLIENTS = [
  'fetch', // of Node
  'undici-fetch', // createFetch over the fetch of undici
  'node-fetch',
  'axios-http',
  'axios-fetch',
  'axios-xhr',
  'undici-request',
  'undici-stream',
  'undici-pipeline',
  'dispatcher-fetch', // the fetch of undici over a dispatcher with ebb
] as const;

export type ClientName = (typeof CLIENTS)[number];

const BODIES = [
  'none',
  'text',
  'json', // an object, for axios
  'params',
  'form',
  'blob',
  'bytes',
  'array-buffer',
  'web-stream',
  'node-stream',
  'iterator',
  'factory', // of a stream
] as const;

export type BodyKind = (typeof BODIES)[number];

/** What a caller does with its call. That of hooks that throw stands in the parts. */
const CALLERS = ['all', 'half', 'nothing', 'clone', 'cancel', 'late', 'abort'] as const;

type CallerKind = (typeof CALLERS)[number];

/** When a caller aborts: so many milliseconds after the start, or with what happens. */
export type AbortAt = number | 'before' | 'attempt' | 'retry' | 'response' | 'body';

const REASONS = ['none', 'null', 'text', 'error', 'timeout'] as const;

export interface CallPlan {
  readonly method: string;
  readonly body: BodyKind;
  /** Of the body, in bytes. */
  readonly bodySize: number;
  readonly to: 'a' | 'b';
  /** True if the caller sets an `Idempotency-Key`. */
  readonly isKeyed?: true;
  /** True if the caller asks for no compression, so that downloads can be resumed. */
  readonly isIdentity?: true;
  /** True if the caller sends a credential of its own. */
  readonly isAuthorized?: true;
  /** True if the caller passes a signal, also if it never aborts. */
  readonly isSignalled?: true;
  readonly caller: CallerKind;
  readonly abortAt?: AbortAt;
  readonly abortReason?: (typeof REASONS)[number];
  /** When it starts, in milliseconds. */
  readonly startMs: number;
  readonly script: readonly Step[];
}

/** One case: plain data. */
export interface Case {
  readonly seed: number;
  readonly client: ClientName;
  readonly parts: Parts;
  readonly calls: readonly CallPlan[];
  /** True if the first server refuses connections before its first retry. */
  readonly isRefused?: true;
}

const METHODS = [
  'GET',
  'GET',
  'GET',
  'GET',
  'POST',
  'POST',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'HEAD',
  'OPTIONS',
];
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);
const BODY_SIZES = [0, 1, 30, 30, 2_000, 100_000];

function drawAbort(draw: Draw): Pick<CallPlan, 'abortAt' | 'abortReason'> {
  const moments: AbortAt[] = ['before', 'attempt', 'retry', 'response', 'body', 0, 1, 2, 4, 8, 20];
  return { abortAt: draw.pick(moments), abortReason: draw.pick(REASONS) };
}

function drawBody(draw: Draw, { factory }: Parts): BodyKind {
  const drawn = draw.pick(BODIES.slice(1));
  return factory !== undefined && draw.chance(0.5) ? 'factory' : drawn;
}

function drawCall(draw: Draw, number: number, parts: Parts): CallPlan {
  const method = draw.pick(METHODS);
  const hasBody = WITH_BODY.has(method) && draw.chance(0.9);
  const caller = draw.chance(0.5) ? 'all' : draw.pick(CALLERS);
  const script = Array.from({ length: draw.below(5) }, () => drawStep(draw, favouredBy(parts)));
  const isKeyed = WITH_BODY.has(method) && draw.chance(0.15);
  return {
    method,
    body: hasBody ? drawBody(draw, parts) : 'none',
    bodySize: draw.pick(BODY_SIZES),
    to: draw.chance(0.85) ? 'a' : 'b',
    caller,
    startMs: number === 0 ? 0 : draw.pick([0, 0, 1, 5]),
    script,
    ...(isKeyed && { isKeyed }),
    ...(draw.chance(0.5) && { isIdentity: true as const }),
    ...(draw.chance(0.2) && { isAuthorized: true as const }),
    ...((caller === 'abort' || draw.chance(0.5)) && { isSignalled: true as const }),
    ...(caller === 'abort' && drawAbort(draw)),
  };
}

/** node-fetch emits an error that no one can catch if its signal has aborted before it sends a body. */
function withoutKnownEscape(client: ClientName, plan: CallPlan): CallPlan {
  const isAtOnce = plan.abortAt !== undefined && ['before', 'attempt', 'retry', 0].includes(plan.abortAt);
  return client === 'node-fetch' && plan.body !== 'none' && isAtOnce ? { ...plan, abortAt: 2 } : plan;
}

/** The case of a seed: always the same one. */
export function drawCase(seed: number): Case {
  const draw = new Draw(seed);
  const client = draw.pick(CLIENTS);
  const parts = drawParts(draw, client);
  const count = draw.chance(0.6) ? 1 : 2 + draw.below(3);
  const calls = Array.from({ length: count }, (_, number) =>
    withoutKnownEscape(client, drawCall(draw, number, parts)),
  );
  const isRefused = draw.chance(0.04);
  return { seed, client, parts, calls, ...(isRefused && { isRefused }) };
}

/** A case in one line. */
export function lineOf({ seed, ...rest }: Case): string {
  return `seed ${seed} ${JSON.stringify(rest)}`;
}
