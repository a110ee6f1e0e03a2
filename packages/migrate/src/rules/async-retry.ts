import { bodyOf, isFunction, parametersOf } from '../file/functions.ts';
import { argumentsOf, bare, type Node, namesIn, PLACEHOLDER, type Source, Stuck } from '../file/source.ts';
import { CallSites, DELAY_RULES, type Kind } from './call-site.ts';
import { callbackOf } from './callback.ts';

const KIND: Kind = {
  library: 'async-retry',
  like: 'likeAsyncRetry',
  options: { ...DELAY_RULES, forever: {}, onRetry: {} },
  names: { Options: '@LikeAsyncRetryOptions', RetryFunction: '@CallWithBail<>' },
};

/** True for a function that does not use `bail`, which is its first parameter. */
function ignoresBail(called: Node): boolean {
  const [bail] = parametersOf(called);
  if (bail === undefined) return true;
  return bail.kind() === 'identifier' && namesIn(bodyOf(called), bail.text()).length === 0;
}

export function asyncRetry(source: Source): void {
  const sites = new CallSites(source, KIND);
  sites.edit((call) => {
    const [called] = argumentsOf(call);
    if (called === undefined) throw new Stuck('it calls nothing');
    const node = bare(called);
    const isAlone = isFunction(node) && ignoresBail(node);
    const withBail = (): string => `${PLACEHOLDER}withBail(${source.textOf(called)})`;
    sites.writeRetry(call, isAlone ? callbackOf(source, node, 1) : withBail());
  });
}
