import { constant } from '../src/backoff/curves.ts';
import { Call } from '../src/call/call.ts';
import type { CallStep } from '../src/call/types.ts';
import type { EbbEvent } from '../src/events/events.ts';
import type { FailureOutcome, Outcome, RequestTraits } from '../src/http/outcome.ts';
import { AroundCalls, type OuterCall, type Way } from '../src/nested/outer-call.ts';
import type { Limit, Permit } from '../src/policy/limit.ts';
import type { PolicyOptions } from '../src/policy/options.ts';
import type { Inspector, Plugin } from '../src/policy/plugin.ts';
import { createPolicy } from '../src/policy/policy.ts';
import { virtualClock } from '../src/testing.ts';

/** A request without headers. */
export const REQUEST = { method: 'GET', url: 'https://a.test/', replayable: true, header: () => undefined };
export const response = (status: number, advice?: object): Outcome =>
  ({ type: 'response', status, header: () => undefined, advice }) as Outcome;
export const lost: FailureOutcome = { type: 'failure', kind: 'network', error: new Error('lost') };
export const late: Outcome = { type: 'failure', kind: 'timeout', error: new Error('late') };

/** The hooks of a plugin, with its inspector as a function. */
export type Hooks = Omit<Plugin, 'name' | 'inspect'> & { readonly judge?: Inspector['judge'] };

/** A plugin with these hooks. */
export const pluginOf = ({ judge, ...hooks }: Hooks = {}): Plugin => ({
  name: 'own',
  ...hooks,
  ...(judge && { inspect: { judge } }),
});

/** A limit that takes nothing, but for what it is given. */
export const limitOf = (own: Partial<Limit> = {}): Limit => ({
  name: 'own',
  take: () => undefined,
  ...own,
});

/** A limit that gives this permit to each attempt. */
export const limitWith = (permit: Partial<Permit>): Limit =>
  limitOf({ take: () => ({ cancel: () => undefined, ...permit }) });

/** The call around a call: it sends this request, or runs user code, and holds these limits. */
export function outerOf(
  request?: RequestTraits,
  slotsHeld: readonly object[] = [],
  bucketsTaken: readonly object[] = [],
): OuterCall {
  const outer = new AroundCalls(request && (() => request), slotsHeld);
  return Object.assign(outer, { bucketsTaken });
}

/** A call that has not begun, of a policy with these plugins and limits. */
export function callTo(
  options: PolicyOptions = {},
  extensions: readonly (Plugin | Limit)[] = [],
  outer?: OuterCall,
  request = REQUEST,
  way?: Way,
) {
  const clock = virtualClock({ startMs: 0 });
  const events: EbbEvent[] = [];
  const policy = createPolicy({
    clock,
    random: () => 0,
    backoff: constant(10),
    plugins: extensions.filter((one) => !('take' in one)),
    limits: extensions.filter((one) => 'take' in one),
    onEvent: (event) => events.push(event),
    ...options,
  });
  const call = new Call(policy, request, outer, way);
  return { clock, events, call, told: () => events.map(({ type }) => type) };
}

/** A call whose first attempt was sent, and its events since. */
export function callWith(...given: Parameters<typeof callTo>) {
  const made = callTo(...given);
  made.call.next();
  made.events.length = 0;
  return made;
}

/** Waits as long as the call says, and returns what follows. */
export async function followed(call: Call, first: CallStep): Promise<CallStep> {
  let step = first;
  while (step.do === 'wait') {
    try {
      step = call.next(await step.until);
    } catch (error) {
      step = call.stopped(error);
    }
  }
  return step;
}
