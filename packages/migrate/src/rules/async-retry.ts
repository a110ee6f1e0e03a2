import { bodyOf, isFunction, parametersOf } from '../file/functions.ts';
import { argumentsOf, bare, type Node, namesIn, PLACEHOLDER, type Source, Stuck } from '../file/source.ts';
import { CallSites, type Kind } from './call-site.ts';
import { callbackOf } from './callback.ts';

const KIND: Kind = {
  library: 'async-retry',
  like: 'likeAsyncRetry',
  options: {
    ...{ retries: {}, factor: {}, minTimeout: {}, maxTimeout: {}, randomize: {}, forever: {} },
    ...{ maxRetryTime: {}, onRetry: {} },
  },
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
    const [called, options] = argumentsOf(call);
    if (called === undefined) throw new Stuck('it calls nothing');
    const node = bare(called);
    const isAlone = isFunction(node) && ignoresBail(node);
    const like = sites.like(options);
    source.replace(
      called,
      isAlone ? callbackOf(source, node, 1) : `${PLACEHOLDER}withBail(${source.textOf(called)})`,
    );
    if (options === undefined) source.insert(called.range().end.index, `, ${like}`);
    else source.replace(options, like);
    source.replace(call.field('function') as Node, `${PLACEHOLDER}retry`);
  });
}
