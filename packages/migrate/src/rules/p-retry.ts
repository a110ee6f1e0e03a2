import { Bindings } from '../file/bindings.ts';
import { argumentsOf, findAll, namesIn, type Source, Stuck } from '../file/source.ts';
import { CallSites, DELAY_RULES, type Kind } from './call-site.ts';
import { callbackOf } from './callback.ts';

const OPTIONS = '@LikePRetryOptions';
const CONTEXT = '@PRetryContext & Error';

const KIND: Kind = {
  library: 'p-retry',
  like: 'likePRetry',
  options: { ...DELAY_RULES, signal: {}, onFailedAttempt: {}, shouldRetry: {} },
  names: {
    ...{ AbortError: '@AbortError', makeRetriable: '@makeRetriable' },
    ...{ Options: OPTIONS, FailedAttemptError: CONTEXT, RetryContext: CONTEXT },
  },
};

export function pRetry(source: Source): void {
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
  source.reach.requests += aborts.filter((name) => name.parent()?.kind() === 'new_expression').length;
  source.reach.moved += bindings.calls(source, 'makeRetriable').length;
  sites.edit((call) => {
    const [called] = argumentsOf(call);
    if (called === undefined) throw new Stuck('it calls nothing');
    sites.writeRetry(call, callbackOf(source, called));
  });
}
