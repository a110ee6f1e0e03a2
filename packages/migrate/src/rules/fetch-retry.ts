import { argumentsOf, bare, type Node, PLACEHOLDER, type Source, Stuck } from '../file/source.ts';
import { CallSites, type Kind } from './call-site.ts';
import { holderOf, usesOf } from './instances.ts';

const BODY = /^\.(?!(status|ok|url|redirected|headers)\b)/;

const KIND: Kind = {
  library: 'fetch-retry',
  like: 'likeFetchRetry',
  options: {
    retries: {},
    retryDelay: { decides: true, unreadable: { 2: BODY } },
    retryOn: { decides: true, unreadable: { 2: BODY } },
  },
  names: {
    RequestInitRetryParams: '@LikeFetchRetryOptions',
    RequestInitWithRetry: 'RequestInit & @LikeFetchRetryOptions',
  },
};

/** Requests have their options in `init`. */
const OWN = /\b(retries|retryDelay|retryOn)\b/;

export function fetchRetry(source: Source): void {
  const sites = new CallSites(source, KIND);
  sites.edit((call) => {
    const [base, options] = argumentsOf(call);
    if (base === undefined) throw new Stuck('it wraps nothing');
    // Up to fetch-retry 2 it was a fetch itself.
    const isUrl = /^(string|template_string|binary_expression)$/.test(String(bare(base).kind()));
    if ((isUrl && !/\?\?|\|\|/.test(base.text())) || isAwaited(call))
      throw new Stuck('it sends a request here, as fetch-retry 2 did');
    const holder = holderOf(call);
    const uses = holder === undefined ? [call] : usesOf(source, holder);
    for (const use of uses) {
      const sent = use.parent();
      const init = sent?.kind() === 'call_expression' ? argumentsOf(sent)[1] : undefined;
      if (init !== undefined) sites.check(init, true);
    }
    const made = `${PLACEHOLDER}createFetch(${sites.like(options)}, ${source.textOf(base)})`;
    const others = source.text.replace(call.text(), '');
    const isTyped = source.isTypeScript && (OWN.test(others) || /\bexport\b/.test(source.text));
    const isCalled = call.parent()?.kind() === 'call_expression';
    const typed = isTyped ? `${made} as ${PLACEHOLDER}LikeFetch` : made;
    source.replace(call, isTyped && isCalled ? `(${typed})` : typed);
  });
}

function isAwaited(call: Node): boolean {
  const parent = call.parent();
  const property = parent?.kind() === 'member_expression' ? parent.field('property')?.text() : undefined;
  return parent?.kind() === 'await_expression' || property === 'then';
}
