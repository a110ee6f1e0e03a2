import { createPolicy, type Outcome, type PolicyOptions, type RequestTraits } from '@ebb/core';
import { Call, failureKind, run, sendWithin, startCall, type Transport } from '@ebb/core/adapter';

// A client that returns promises.
interface Result {
  readonly status: number;
}
const client: Transport<Result> = {
  send: (call: Call) => sendWithin(call, async () => ({ status: 200 })),
  outcome: ({ status }): Outcome => ({ type: 'response', status, header: () => undefined }),
  failure: (error) => ({ type: 'failure', kind: failureKind(error), error }),
  setAside: () => undefined,
};
const policy = createPolicy({ maxRetries: 1 });
const traits: RequestTraits = { method: 'GET', url: '/', replayable: true, header: () => undefined };

export async function call(options: PolicyOptions, signal?: AbortSignal): Promise<Result> {
  return run(startCall(createPolicy({ ...policy, maxRetries: 0 }), traits, options), client, signal);
}

export const refused: (() => unknown)[] = [
  // @ts-expect-error: no policy
  () => startCall(traits),
  // @ts-expect-error: no function for failures
  () => run(new Call(policy, traits), { ...client, failure: undefined }),
  // @ts-expect-error: not an option
  () => createPolicy({ ...policy, retries: 3 }),
];
