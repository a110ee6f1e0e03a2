import { expressionOf, functionOf, isAsync, isFunction, readsOf } from '../file/functions.ts';
import { Left, type Option, renamed } from '../file/options.ts';
import { argumentsOf, findAll, type Node, namesIn, PLACEHOLDER, type Source, Stuck } from '../file/source.ts';
import { FunctionRetry, type Kind } from './function-retry.ts';

const CONTEXT = /^\.(error|attemptNumber|retriesLeft)(\.|$)/;

/** A function of the program, which gets the error itself in older versions of the library. */
function judged(source: Source, option: Option): string | Left | undefined {
  const { key, value } = option;
  if (key !== 'onFailedAttempt' && key !== 'shouldRetry') return undefined;
  const called = functionOf(source, value);
  if (called === undefined)
    return new Left(`what \`${key}\` does is in another file; \`judge\` takes its place`);
  if (isAsync(called) && (key === 'shouldRetry' || /\bawait\b/.test(called.text())))
    return new Left('`judge` decides at once: it awaits nothing');
  if (key === 'onFailedAttempt' && findAll(called, 'throw_statement').length > 0)
    return new Left('`judge` returns `final` where this throws');
  const reads = readsOf(called, 0);
  const isContext = reads.every((read) => CONTEXT.test(read));
  if (isContext) return renamed(source, option, key);
  if (reads.some((read) => read.startsWith('.error.'))) throw new Stuck(`what ${key} reads is not known`);
  const callee = isFunction(value) ? `(${expressionOf(source, value)})` : value.text();
  return `${key}: ({ error, ...rest }) => ${callee}(Object.assign(error, rest))`;
}

export const P_RETRY: Kind = {
  library: 'p-retry',
  like: 'likePRetry',
  randomizes: false,
  attemptAt: 0,
  judged,
  stops: () => false,
};

/** Replaces `AbortError`, if that is possible everywhere. Returns whether the program stops retries by it. */
function stopping(source: Source, names: readonly Node[]): boolean {
  for (const name of names) {
    const parent = name.parent();
    const left = parent?.field('left');
    if (parent?.kind() === 'new_expression')
      source.replace(
        parent,
        `${PLACEHOLDER}stop(${argumentsOf(parent)
          .map((one) => source.textOf(one))
          .join(', ')})`,
      );
    else if (parent?.kind() === 'binary_expression' && left && /\binstanceof\b/.test(parent.text()))
      source.replace(parent, `${PLACEHOLDER}stopped.has(${source.textOf(left)})`);
    else throw new Stuck('`AbortError` is used for something else than to stop');
  }
  return names.length > 0;
}

export function pRetry(source: Source): void {
  const rule = new FunctionRetry(source, P_RETRY);
  const { bindings } = rule;
  const aborts = [...namesIn(source.root), ...findAll(source.root, 'member_expression')].filter(
    (node) =>
      !bindings.holds(node) &&
      node.parent()?.kind() !== 'import_specifier' &&
      bindings.named(node) === 'AbortError',
  );
  const [first] = aborts;
  const calls = [...bindings.calls(source, 'default'), ...bindings.calls(source, 'makeRetriable')];
  let stops = false;
  if (first !== undefined) {
    const isPossible = source.attempt(first, () => {
      if (calls.length === 0) throw new Stuck('the call that this stops is in another file');
      stops = stopping(source, aborts);
    });
    if (!isPossible) return;
  }
  const always = stops ? `${PLACEHOLDER}unlessStopped` : undefined;
  const made = bindings.calls(source, 'makeRetriable').map((call) =>
    source.attempt(call, () => {
      const [called, options] = argumentsOf(call);
      if (called === undefined || isFunction(called))
        throw new Stuck('write the function apart, so that it has a name');
      const given = [`() => ${called.text()}(...args)`, ...rule.policyOf(options, always)];
      const type = source.isTypeScript ? `: Parameters<typeof ${called.text()}>` : '';
      source.replace(call, `(...args${type}) => ${PLACEHOLDER}retry(${given.filter(Boolean).join(', ')})`);
    }),
  );
  const done = [...rule.calls(always), ...made];
  if (stops && !done.every(Boolean))
    throw new Stuck('p-retry stays here: some of the calls that `AbortError` stops stay');
}
