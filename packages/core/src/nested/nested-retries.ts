import { warn } from '../base/errors.ts';
import type { RequestTraits } from '../http/outcome.ts';

/** Another library that retries the same request. */
export interface NestedRetries {
  /** The request header that shows it. */
  readonly header: string;
  readonly library: string;
}

/**
 * The header, the values that prove a retry above, and what sends it. The SDKs made by Stainless send a count of 0 even if
 * they never retry.
 *
 * Source: the SDKs of OpenAI, Anthropic and Cloudflare; AWS SDKs, "Retry behavior"; gRFC A6.
 */
const MARKS: readonly (readonly [header: string, proof: RegExp, library: string])[] = [
  ['x-stainless-retry-count', /^[1-9]/, 'the SDK of OpenAI, Anthropic or Cloudflare'],
  ['amz-sdk-request', /max=([2-9]|\d\d)/, 'the AWS SDK'],
  ['grpc-previous-rpc-attempts', /^[1-9]/, 'a gRPC client'],
];

/** The library that retries a request as well, with a warning once for each; `undefined` if none shows. */
export function nestedRetriesOf(request: RequestTraits): NestedRetries | undefined {
  for (const [header, proof, library] of MARKS) {
    if (!proof.test(request.header(header) ?? '')) continue;
    warnOnce({ header, library });
    return { header, library };
  }
  return undefined;
}

const warned = new Set<string>();

function warnOnce({ header, library }: NestedRetries): void {
  if (warned.has(library)) return;
  warned.add(library);
  warn(
    `${library} retries the same requests as ebb, as ${header} shows: turn its retries off, or the attempts multiply`,
  );
}
