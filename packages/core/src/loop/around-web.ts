import type { RequestTraits } from '../http/outcome.ts';
import type { OtherRetries } from './other-retries.ts';

export * from './layers-web.ts';

/** The SDKs that retry run on servers. */
export function otherRetriesOf(_request: RequestTraits): OtherRetries | undefined {
  return undefined;
}
