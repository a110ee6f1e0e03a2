import { createPolicy, type Outcome, type RequestOptions, type RequestTraits } from '@ebb/core';
import { type Exchange, failureKind, run, type Session, startSession } from '@ebb/core/adapter';

// A client that returns promises.
interface Result {
  readonly status: number;
}
const exchange: Exchange<Result> = {
  send: (session: Session) => session.sending(async () => ({ status: 200 })),
  outcome: ({ status }): Outcome => ({ type: 'response', status, header: () => undefined }),
  failure: (error) => ({ type: 'failure', kind: failureKind(error), error }),
  setAside: () => undefined,
};
const policy = createPolicy({ maxRetries: 1 });
const traits: RequestTraits = { method: 'GET', url: '/', replayable: true, header: () => undefined };

export async function call(options: RequestOptions, signal?: AbortSignal): Promise<Result | undefined> {
  const session = startSession(createPolicy({ ...policy, maxRetries: 0 }), traits, options);
  return session && run(session, exchange, signal);
}

export const refused: (() => unknown)[] = [
  // @ts-expect-error: no policy
  () => startSession(traits),
  // @ts-expect-error: no function for failures
  () => run(new Session(policy, traits), { ...exchange, failure: undefined }),
  // @ts-expect-error: not an option
  () => createPolicy({ ...policy, retries: 3 }),
];
