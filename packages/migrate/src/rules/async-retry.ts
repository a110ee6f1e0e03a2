import { bodyOf, expressionOf, functionOf, isAsync, isFunction, parametersOf } from '../file/functions.ts';
import { LeftOption, type Option } from '../file/options.ts';
import { argumentsOf, type Node, namesIn, PLACEHOLDER, type Source, Stuck } from '../file/source.ts';
import { FunctionRetry, type Kind } from './function-retry.ts';

/** `onRetry` is told of errors after which there is another attempt. */
function judgeOf(source: Source, option: Option): string | LeftOption | undefined {
  if (option.key !== 'onRetry') return undefined;
  const called = functionOf(source, option.value);
  if (called === undefined)
    return new LeftOption('what `onRetry` does is in another file; `judge` takes its place');
  if (isAsync(called) && /\bawait\b/.test(called.text())) return new LeftOption('`judge` awaits nothing');
  const text = expressionOf(source, option.value);
  const callee = isFunction(option.value) ? `(${text})` : text;
  return `onFailedAttempt: ({ error, attemptNumber, retriesLeft }) => retriesLeft > 0 && ${callee}(error, attemptNumber)`;
}

/** True if what a function throws at a place is what its caller gets. */
function throwsOut(place: Node, called: Node): boolean {
  const between = place.ancestors();
  const inner = between.slice(
    0,
    between.findIndex((one) => one.id() === called.id()),
  );
  const at = place.range().start.index;
  return inner.every((one) => {
    if (one.kind() === 'try_statement') {
      const { start, end } = bodyOf(one).range();
      return (at < start.index || at >= end.index) && one.field('finalizer') === null;
    }
    if (!isFunction(one)) return true;
    const call = one.parent()?.kind() === 'arguments' ? one.parent()?.parent() : null;
    return (
      call
        ?.field('function')
        ?.field('property')
        ?.text()
        .match(/^(then|catch|finally)$/) !== undefined
    );
  });
}

/** `bail(error)` becomes `throw stop(error)`. */
function stops(source: Source, called: Node): boolean {
  const name = parametersOf(called)[0]?.text();
  const uses = name === undefined ? [] : namesIn(bodyOf(called), name);
  for (const use of uses) {
    const call = use.parent();
    let statement = call?.parent();
    if (call?.kind() !== 'call_expression' || call.field('function')?.id() !== use.id())
      throw new Stuck(`${name} is given to something else`);
    if (statement?.kind() === 'await_expression') statement = statement.parent();
    if (
      !/^(expression|return)_statement$/.test(String(statement?.kind())) ||
      statement === null ||
      statement === undefined
    )
      throw new Stuck(`what ${name} returns is used`);
    if (!throwsOut(statement, called))
      throw new Stuck(`an error that is thrown where ${name} is called would be caught`);
    const given = argumentsOf(call).map((one) => source.textOf(one));
    source.replace(statement, `throw ${PLACEHOLDER}stop(${given.join(', ')})${source.semicolon}`);
    const next = statement.parent()?.kind() === 'statement_block' ? statement.next() : null;
    if (next !== null && !/^(return_statement|throw_statement|comment|\}|;)$/.test(String(next.kind())))
      throw new Stuck(`the function goes on after ${name}`);
    if (
      next?.kind() === 'return_statement' &&
      next.namedChildren().every((one) => one.text() === 'undefined')
    )
      source.remove(next);
  }
  return uses.length > 0;
}

const KIND: Kind = {
  library: 'async-retry',
  like: 'likeAsyncRetry',
  randomizes: true,
  attemptAt: 1,
  judged: judgeOf,
  stops,
};

export function asyncRetry(source: Source): void {
  new FunctionRetry(source, KIND).calls(undefined);
}
