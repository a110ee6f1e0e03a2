import { functionOf, isFunction, parametersOf } from '../file/functions.ts';
import { bare, findAll, type Node, type Source } from '../file/source.ts';

/**
 * A function as `retry` calls it: with one object, in which the attempt is.
 *
 * @param attemptAt the parameter that is the number of the attempt
 */
export function callbackOf(source: Source, given: Node, attemptAt = 0): string {
  const node = bare(given);
  if (isFunction(node)) {
    const parameters = parametersOf(node);
    const name = parameters[attemptAt]?.text();
    const list = node.field('parameter') ?? node.field('parameters');
    if (list !== null && parameters.length > 0)
      source.replace(
        list,
        name === undefined ? '()' : `({ ${name === 'attempt' ? name : `attempt: ${name}`} })`,
      );
    return source.textOf(node);
  }
  const called = functionOf(source, node);
  const hasNone =
    called === undefined ? isWithoutParameters(source, node) : parametersOf(called).length === 0;
  const text = source.textOf(given);
  if (hasNone) return text;
  const isCast = /^(as|satisfies)_expression$/.test(String(given.kind()));
  return `({ attempt }) => ${isCast ? `(${text})` : text}(attempt)`;
}

/** A parameter that is declared as a function without parameters. */
function isWithoutParameters({ root }: Source, node: Node): boolean {
  const parameters = findAll(root, 'required_parameter').filter(
    (one) => one.field('pattern')?.text() === node.text(),
  );
  return parameters.length === 1 && /^:\s*\(\)\s*=>/.test(parameters[0]?.field('type')?.text() ?? '');
}
