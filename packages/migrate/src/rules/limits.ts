import { NO_RETRY_AFTER } from '../emitted/names.ts';
import { bodyOf, isAsync, isFunction, parameterList, parametersOf } from '../file/functions.ts';
import { type Node, PLACEHOLDER, type Source, Stuck } from '../file/source.ts';

/** The options of a policy that only limits. */
export const ONLY_LIMITS: readonly string[] = ['maxRetries: 0', NO_RETRY_AFTER];

const NUMBER = /^[\d_]+(\.\d+)?$/;

/** An expression that can be an operand. */
function operand(text: string): string {
  return /^[\w.$]+$/.test(text) ? text : `(${text})`;
}

/** How many in a second are so many in an interval. */
function perSecond(count: string, intervalMs: string): string {
  if (!NUMBER.test(count) || !NUMBER.test(intervalMs))
    return `(${operand(count)} * 1000) / ${operand(intervalMs)}`;
  const rate = (Number(count.replaceAll('_', '')) * 1000) / Number(intervalMs.replaceAll('_', ''));
  return String(rate).length <= 8 ? String(rate) : `${count}000 / ${intervalMs}`;
}

/** A bucket that gives so many at once in each interval. */
export function windowBucket(count: string, intervalMs: string): string {
  return `bucket: ${PLACEHOLDER}tokenBucket({ capacity: ${count}, refillPerSecond: ${perSecond(count, intervalMs)}, refillIntervalMs: ${intervalMs} })`;
}

/** A function with the same parameters that waits for its turn in a policy. */
export function withLimits(source: Source, called: Node, policy: string): string {
  if (called.kind() === 'function_expression' && /\bthis\b/.test(called.text()))
    throw new Stuck('what `this` is would change');
  if (called.kind() === 'arrow_function' && parametersOf(called).length > 0) {
    const list = source.textOf(parameterList(called));
    const parameters = list.startsWith('(') ? list : `(${list})`;
    const inner = `${isAsync(called) ? 'async ' : ''}() => ${source.textOf(bodyOf(called))}`;
    return `${parameters} => ${PLACEHOLDER}retry(${inner}, ${policy})`;
  }
  if (isFunction(called) && parametersOf(called).length === 0)
    return `() => ${PLACEHOLDER}retry(${source.textOf(called)}, ${policy})`;
  if (isFunction(called) && source.isTypeScript)
    throw new Stuck('write the function apart, so that it has a name');
  const type = source.isTypeScript ? `: Parameters<typeof ${called.text()}>` : '';
  const callee = isFunction(called) ? `(${source.textOf(called)})` : called.text();
  return `(...args${type}) => ${PLACEHOLDER}retry(() => ${callee}(...args), ${policy})`;
}
