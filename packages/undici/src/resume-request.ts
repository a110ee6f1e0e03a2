import type { Policy, PolicyOptions, RequestTraits } from '@ebb/core';
import {
  type Download,
  type EventStream,
  haveCredentials,
  prose,
  Resumer,
  type Resuming,
} from '@ebb/core/resuming';
import type { Dispatcher } from 'undici';
import type { Attempt } from './attempt.ts';
import { bodyOf } from './body/body-of.ts';
import type { RequestBody } from './body/request-body.ts';
import { headerPairs, type RequestHeaders } from './headers.ts';
import { changesForRest } from './resume.ts';
import { Traits } from './traits.ts';

type Options = Dispatcher.DispatchOptions;

/** Resumes with options of a dispatch. */
export type DispatchResumer = Resumer<Options, Options>;

/** Stands for the origin of a `Client` or `Pool`, which undici 7 does not tell an interceptor. */
const OWN_ORIGIN = 'http://dispatcher.invalid';

/** @param attempt returns the last one */
export function streamResumer(
  course: EventStream,
  options: Options,
  resuming: Resuming<Options>,
  attempt: () => Attempt,
): DispatchResumer {
  const traits = new Traits(options, bodyOf(options), OWN_ORIGIN);
  return new Resumer<Options, Options>(course, resuming, {
    // Hooks may take it apart.
    request: Object.assign(traits, { header: traits.header.bind(traits) }),
    ebb: (options.ebb || undefined) as PolicyOptions | undefined,
    whyUnsafe: () => whyUnsafe(attempt(), options.headers),
    // Not what the first request has besides: its body, or headers that tell its length.
    with: (given) => ({ ...given, origin: given.origin ?? options.origin }) as Options,
    again: () => ({ ...options, ...changesForRest(course, options.headers) }) as Options,
  });
}

/** A request whose response is a download. */
interface Downloading {
  readonly options: Options;
  readonly body: RequestBody | undefined;
  readonly policy: Policy;
  readonly request: RequestTraits;
}

/** @param attempt returns the last one */
export function downloadResumer(
  download: Download,
  { options, body, policy, request }: Downloading,
  attempt: () => Attempt,
): DispatchResumer {
  const resuming = { policy, maxResumes: policy.maxRetries, resumeAtEnd: false, maxEventBytes: 0 };
  return new Resumer<Options, Options>(
    download,
    resuming,
    {
      request,
      ebb: undefined,
      whyUnsafe: () => whyUnsafe(attempt(), options.headers),
      with: (given) => given,
      again: () =>
        ({ ...options, ...body?.take?.(), ...changesForRest(download, options.headers) }) as Options,
    },
    download.receivedBytes,
  );
}

/**
 * Says so if a request with credentials has ended at another origin than its own, by an interceptor below. It is not known what that
 * origin was sent.
 */
function whyUnsafe({ starts, hops = [] }: Attempt, headers: RequestHeaders): string | undefined {
  const [first, last] = [hops[0], hops.at(-1)].map((hop) => URL.parse(String(hop))?.origin);
  if (starts < 2 || (hops.length >= starts && first === last)) return undefined;
  const names = [...headerPairs(headers)].map(([name]) => name);
  return haveCredentials(names) ? (prose('a redirect of credentials to another origin') ?? '') : undefined;
}
