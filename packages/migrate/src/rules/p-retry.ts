import { Bindings } from '../file/bindings.ts';
import { isFunction } from '../file/functions.ts';
import {
  argumentsOf,
  bare,
  findAll,
  type Node,
  namesIn,
  PLACEHOLDER,
  type Source,
  Stuck,
  statementOf,
} from '../file/source.ts';
import { CallSites, type Kind } from './call-site.ts';
import { callbackOf } from './callback.ts';

const OPTIONS = '@LikePRetryOptions';
const CONTEXT = '@PRetryContext & Error';

const KIND: Kind = {
  library: 'p-retry',
  like: 'likePRetry',
  options: {
    ...{
      retries: {},
      factor: {},
      minTimeout: {},
      maxTimeout: {},
      randomize: {},
      maxRetryTime: {},
      signal: {},
    },
    ...{ onFailedAttempt: {}, shouldRetry: {} },
  },
  names: { Options: OPTIONS, FailedAttemptError: CONTEXT, RetryContext: CONTEXT, AbortError: '@AbortError' },
  calls: ['makeRetriable'],
};

export function pRetry(source: Source): void {
  const { reach } = source;
  const bindings = new Bindings(source, KIND.library);
  const aborts = [...namesIn(source.root), ...findAll(source.root, 'member_expression')].filter(
    (node) => !bindings.holds(node) && bindings.named(node) === 'AbortError',
  );
  const isExtended = aborts.some((name) =>
    /^(class_heritage|extends_clause)$/.test(String(name.parent()?.kind())),
  );
  const reason = isExtended ? 'a class of its own extends `AbortError`' : source.held;
  // The functions of @ebb/compat know both.
  const sites = new CallSites(
    source,
    reason === undefined ? KIND : { ...KIND, stays: { AbortError: reason } },
  );
  const calls = ['default', 'makeRetriable'].flatMap((name) => bindings.calls(source, name));
  reach.requests += aborts.filter(
    (name) => name.parent()?.kind() === 'new_expression' && leaves(source, name, calls),
  ).length;
  const done = sites.edit((call, exported) => {
    const [called, options] = argumentsOf(call);
    if (called === undefined) throw new Stuck('it calls nothing');
    const like = sites.like(options);
    if (exported === 'makeRetriable') {
      if (isFunction(called)) throw new Stuck('write the function apart, so that it has a name');
      const type = source.isTypeScript ? `: Parameters<typeof ${called.text()}>` : '';
      source.replace(
        call,
        `(...args${type}) => ${PLACEHOLDER}retry(() => ${called.text()}(...args), ${like})`,
      );
      return;
    }
    source.replace(called, callbackOf(source, bare(called)));
    if (options === undefined) source.insert(called.range().end.index, `, ${like}`);
    else source.replace(options, like);
    source.replace(call.field('function') as Node, `${PLACEHOLDER}retry`);
  });
  reach.moved += done.filter(Boolean).length;
  reach.kept += done.filter((isDone) => !isDone).length;
}

/** True for an `AbortError` that may stop the retries of another file: it is thrown where not only the calls of this one get it. */
function leaves({ root }: Source, name: Node, calls: readonly Node[]): boolean {
  const isWithin = (node: Node): boolean =>
    node.ancestors().some((one) => calls.some((call) => call.id() === one.id()));
  if (isWithin(name)) return false;
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
