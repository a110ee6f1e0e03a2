import type { PolicyOptions, RequestTraits } from '@ebb/core';
import type { ReadHeader, Resumable } from '@ebb/core/adapter';
import {
  Download,
  type EventHooks,
  EventStream,
  haveCredentials,
  isCoded,
  isEventStream,
  prose,
  Resumer,
  type Resuming,
} from '@ebb/core/resuming';
import type { Dispatcher } from 'undici';
import type { Attempt } from './attempt.ts';
import type { RequestBody } from './body/request-body.ts';
import {
  changedHeaders,
  headerPairs,
  type RequestHeaders,
  type ResponseHead,
  readerOf,
  requestHeader,
} from './headers.ts';

type Options = Dispatcher.DispatchOptions;

/** Resumes with options of a dispatch. */
export type DispatchResumer = Resumer<Options, Options>;

/** What a response goes on by if its connection breaks; `undefined` for one that is no download. */
export function downloadOf({ method }: Options, { status, headers }: ResponseHead): Download | undefined {
  // Most responses have none.
  if (headers.etag === undefined || (status !== 200 && status !== 206)) return undefined;
  return String(method).toUpperCase() === 'GET' ? new Download(status, readerOf(headers)) : undefined;
}

/** What the body of a response can be resumed by: `'coded'` if it is an event stream that cannot be read; `undefined` for others. */
export function streamOf(
  { status, headers }: ResponseHead,
  requestHeaders: RequestHeaders,
  hooks: EventHooks,
): EventStream | 'coded' | undefined {
  const header = readerOf(headers);
  if (!isEventStream(status, header)) return undefined;
  if (isCoded(header)) return 'coded';
  return new BufferStream(requestHeader(requestHeaders, 'last-event-id'), hooks);
}

/** Handlers expect Buffers. */
class BufferStream extends EventStream {
  override take(part: Uint8Array): readonly Buffer[] {
    return super.take(part).map(bufferOf);
  }

  override mismatch(status: number, header: ReadHeader): string | undefined {
    return isCoded(header) ? (prose('another content coding') ?? '') : super.mismatch(status, header);
  }

  override left(): readonly Buffer[] {
    return super.left().map(bufferOf);
  }
}

function bufferOf(part: Uint8Array): Buffer {
  return part instanceof Buffer ? part : Buffer.from(part.buffer, part.byteOffset, part.byteLength);
}

/** A request whose response is resumed. */
interface Resumed {
  readonly options: Options;
  readonly request: RequestTraits;
  readonly resuming: Resuming<Options>;
  /** Absent if a layer below takes care of the body. */
  readonly body?: RequestBody | undefined;
  /** How much of the response was passed on before. */
  readonly passedBytes?: number;
}

/** @param attempt returns the last one that was sent */
export function resumerOf(
  course: Resumable,
  { options, request, resuming, body, passedBytes }: Resumed,
  attempt: () => Attempt | undefined,
): DispatchResumer {
  const { headers, origin } = options;
  return new Resumer<Options, Options>(
    course,
    resuming,
    {
      request,
      ebb: (options.ebb || undefined) as PolicyOptions | undefined,
      whyUnsafe: () => whyUnsafe(attempt(), headers),
      // Not what the first request has besides: its body, or headers that tell its length.
      with: (given) => ({ ...given, origin: given.origin ?? origin }) as Options,
      again: () => {
        const list = [...headerPairs(headers)].flat() as string[];
        return { ...options, ...body?.take?.(), headers: changedHeaders(list, course.headers) } as Options;
      },
    },
    passedBytes,
  );
}

/**
 * Says so if a request with credentials has ended at another origin than its own, by an interceptor below. It is not known what that
 * origin was sent.
 */
function whyUnsafe(attempt: Attempt | undefined, headers: RequestHeaders): string | undefined {
  const { starts = 0, hops = [] } = attempt ?? {};
  const [first, last] = [hops[0], hops.at(-1)].map((hop) => URL.parse(String(hop))?.origin);
  if (starts < 2 || (hops.length >= starts && first === last)) return undefined;
  const names = [...headerPairs(headers)].map(([name]) => name);
  return haveCredentials(names) ? (prose('a redirect of credentials to another origin') ?? '') : undefined;
}
