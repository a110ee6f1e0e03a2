import type { CallPlan, Case } from './case.ts';
import type { Examiner } from './examine.ts';
import type { Parts } from './parts.ts';
import type { Step } from './step.ts';

const without = <T>(list: readonly T[], at: number): T[] => list.filter((_, other) => other !== at);
const replaced = <T>(list: readonly T[], at: number, one: T): T[] =>
  list.map((old, other) => (other === at ? one : old));

function omit<T extends object>(of: T, key: keyof T): T {
  const { [key]: _, ...rest } = of;
  return rest as T;
}

function* simplerSteps(step: Step): Iterable<Step> {
  if (step.do !== 'ok') yield { do: 'ok', size: 20 };
  if (step.wait !== undefined) yield omit(step, 'wait');
  if ((step.size ?? 0) > 20) yield { ...step, size: 20 };
}

function* simplerCalls(plan: CallPlan): Iterable<CallPlan> {
  const { script } = plan;
  for (const at of script.keys()) yield { ...plan, script: without(script, at) };
  if (plan.caller !== 'all') yield omit(omit({ ...plan, caller: 'all' as const }, 'abortAt'), 'abortReason');
  for (const key of ['isSignalled', 'isIdentity', 'isKeyed', 'isAuthorized'] as const)
    if (plan[key]) yield omit(plan, key);
  if (plan.startMs > 0) yield { ...plan, startMs: 0 };
  if (plan.to === 'b') yield { ...plan, to: 'a' };
  if (plan.body !== 'none') yield { ...plan, body: 'none' };
  if (plan.body !== 'none' && plan.body !== 'text') yield { ...plan, body: 'text' };
  if (plan.bodySize > 30) yield { ...plan, bodySize: 30 };
  if (plan.method !== 'GET' && plan.body === 'none') yield { ...plan, method: 'GET' };
  for (const [at, step] of script.entries())
    for (const simpler of simplerSteps(step)) yield { ...plan, script: replaced(script, at, simpler) };
}

function* simplerParts(parts: Parts): Iterable<Parts> {
  for (const key of Object.keys(parts) as (keyof Parts)[]) {
    if (key !== 'maxRetries' && key !== 'backoffMs') yield omit(parts, key);
  }
  if (parts.maxRetries > 1) yield { ...parts, maxRetries: 1 };
  if (parts.maxRetries > 0) yield { ...parts, maxRetries: parts.maxRetries - 1 };
  if (parts.backoffMs > 0) yield { ...parts, backoffMs: 0 };
  const { bucket, concurrency } = parts;
  if (bucket?.isPerKey) yield { ...parts, bucket: omit(bucket, 'isPerKey') };
  if (bucket?.isSettled) yield { ...parts, bucket: omit(bucket, 'isSettled') };
  if (concurrency?.isPerKey) yield { ...parts, concurrency: omit(concurrency, 'isPerKey') };
  if (concurrency?.maxQueue !== undefined) yield { ...parts, concurrency: omit(concurrency, 'maxQueue') };
}

/** Cases that are a little simpler, the simplest first. */
function* simpler(of: Case): Iterable<Case> {
  if (of.calls.length > 1) for (const at of of.calls.keys()) yield { ...of, calls: without(of.calls, at) };
  for (const parts of simplerParts(of.parts)) yield { ...of, parts };
  if (of.isRefused) yield omit(of, 'isRefused');
  for (const [at, plan] of of.calls.entries())
    for (const one of simplerCalls(plan)) yield { ...of, calls: replaced(of.calls, at, one) };
}

/** The smallest case that still breaks the same rule. @param mostMs the longest that this may take */
export async function shrink(of: Case, rule: string, examiner: Examiner, mostMs = 20_000): Promise<Case> {
  const endMs = performance.now() + mostMs;
  let smallest = of;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const one of simpler(smallest)) {
      if (performance.now() > endMs) return smallest;
      if ((await examiner.find(one, rule)) === undefined) continue;
      smallest = one;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}
