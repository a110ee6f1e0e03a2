import { expressionOf, functionOf, isAsync, isFunction, readsOf } from '../file/functions.ts';
import { type Option, renamed } from '../file/options.ts';
import {
  argumentsOf,
  findAll,
  type Node,
  namesIn,
  PLACEHOLDER,
  type Source,
  Stuck,
  statementOf,
} from '../file/source.ts';
import { FunctionRetry, type Kind } from './function-retry.ts';

const CONTEXT = /^\.(error|attemptNumber|retriesLeft)(\.|$)/;

/**
 * A function of the program, which gets the error itself in older versions of the library.
 *
 * @throws Stuck if nothing does the same: without it what it ends would be called again
 */
function judgeOf(source: Source, option: Option): string | undefined {
  const { key, value } = option;
  if (key !== 'onFailedAttempt' && key !== 'shouldRetry') return undefined;
  const called = functionOf(source, value);
  if (called === undefined)
    throw new Stuck(`what \`${key}\` does is in another file; \`judge\` takes its place`);
  if (isAsync(called) && (key === 'shouldRetry' || /\bawait\b/.test(called.text())))
    throw new Stuck('`judge` decides at once: it awaits nothing');
  if (key === 'onFailedAttempt' && findAll(called, 'throw_statement').length > 0)
    throw new Stuck('`judge` returns `final` where this throws');
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
  judged: judgeOf,
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

/** True for an `AbortError` that may stop the retries of another file: it is thrown where not only the calls of this one get it. */
function leaves({ root }: Source, name: Node, calls: readonly Node[]): boolean {
  const isWithin = (node: Node): boolean =>
    node.ancestors().some((one) => calls.some((call) => call.id() === one.id()));
  if (name.parent()?.kind() !== 'new_expression' || isWithin(name)) return false;
  const declared = name.ancestors().flatMap((one) => {
    const isNamed = /^(function_declaration|variable_declarator|method_definition)$/.test(String(one.kind()));
    const named = isNamed ? one.field('name') : null;
    const isPublic =
      one.kind() === 'method_definition' && !/^(private\b|#)/.test(one.text().replace(/^async /, ''));
    return named === null || isPublic ? [] : [named];
  });
  // Where each name is used, which one of the functions around it has.
  return !declared.some((own) => {
    const kinds = [
      'identifier',
      'property_identifier',
      'private_property_identifier',
      'shorthand_property_identifier',
    ];
    const uses = findAll(root, ...kinds).filter((use) => use.text() === own.text() && use.id() !== own.id());
    const isExportedHere = statementOf(own).kind() === 'export_statement';
    return !isExportedHere && uses.length > 0 && uses.every(isWithin);
  });
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
  source.reach.requests = aborts.filter((name) => leaves(source, name, calls)).length;
  source.reach.kept = calls.length;
  let stops = false;
  if (first !== undefined) {
    const isPossible = source.attempt(first, () => {
      if (calls.length === 0) throw new Stuck('the call that this stops is in another file');
      source.mayMove();
      stops = stopping(source, aborts);
    });
    if (!isPossible) return;
  }
  const always = stops ? `${PLACEHOLDER}unlessStopped` : undefined;
  const made = bindings.calls(source, 'makeRetriable').map((call) =>
    source.attempt(call, () => {
      source.mayMove();
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
