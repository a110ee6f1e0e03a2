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
import { CallSites, type Kind } from './call-site.ts';
import { DECLARED } from './together.ts';

const BODY = /^\.(response\.(?!(status|headers|config)\b)|request\b|toJSON\b)/;
const OPTIONS = '@LikeAxiosRetryOptions';
const HELPERS = [
  ...['isNetworkError', 'isRetryableError', 'isSafeRequestError', 'isIdempotentRequestError'],
  ...['isNetworkOrIdempotentRequestError', 'exponentialDelay', 'linearDelay', 'retryAfter'],
];

const KIND: Kind = {
  library: 'axios-retry',
  like: 'likeAxiosRetry',
  options: {
    retries: {},
    retryCondition: { decides: true, unreadable: { 0: BODY } },
    retryDelay: { decides: true, unreadable: { 1: BODY } },
    shouldResetTimeout: {},
    onRetry: { unreadable: { 1: BODY } },
    onMaxRetryTimesExceeded: { unreadable: { 0: BODY } },
    validateResponse: { only: /^null$/ },
  },
  names: {
    ...Object.fromEntries(HELPERS.map((name) => [name, `@likeAxiosRetry.${name}`])),
    IAxiosRetryConfig: OPTIONS,
    IAxiosRetryConfigExtended: `${OPTIONS} & { retryCount?: number }`,
    namespace: "'axios-retry'",
  },
};

export function axiosRetry(source: Source): void {
  const sites = new CallSites(source, KIND);
  sites.edit((call) => {
    const [client, options] = argumentsOf(call);
    if (client === undefined) throw new Stuck('axiosRetry without a client');
    keepId(source, call);
    const target = /^(identifier|member_expression|this)$/.test(String(client.kind()))
      ? client.text()
      : `(${source.textOf(client)})`;
    const use = `interceptors.request.use(${PLACEHOLDER}ebbInterceptor(${sites.like(options)}))`;
    source.replace(call, `${target}.${use}`);
  });
  if (findAll(source.root, 'property_signature').some((one) => isKey(one.field('name'))))
    source.reach.requests += 1;
  if (source.held === undefined || source.held === DECLARED) keepRequests(sites);
}

function isKey(node: Node | null): boolean {
  return /^(['"])axios-retry\1$/.test(node?.text() ?? '');
}

/** Options of requests stay where they are, and have types: the client reads them. */
function keepRequests(sites: CallSites): void {
  const { source } = sites;
  let isUsed = findAll(source.root, 'subscript_expression').some((one) => isKey(one.field('index')));
  for (const pair of findAll(source.root, 'pair')) {
    const value = isKey(pair.field('key')) ? pair.field('value') : null;
    if (value === null) continue;
    isUsed = true;
    try {
      sites.check(value);
    } catch (error) {
      if (!(error instanceof Stuck)) throw error;
      source.todo(pair, `axios-retry stays here: ${error.message}`);
    }
  }
  if (isUsed && source.held !== DECLARED) source.hasRequestOptions = true;
}

/** `use` returns one id, where axios-retry returned two. */
function keepId(source: Source, call: Node): void {
  const parent = call.parent();
  if (parent?.kind() === 'expression_statement' || parent?.kind() === 'arrow_function') return;
  const pattern = parent?.kind() === 'variable_declarator' ? parent.field('name') : null;
  const names = pattern?.kind() === 'object_pattern' ? pattern.namedChildren().map((one) => one.text()) : [];
  if (
    pattern === null ||
    statementOf(call).kind() === 'export_statement' ||
    names.length === 0 ||
    names.some((name) => !/^(request|response)InterceptorId$/.test(name))
  )
    throw new Stuck('`use` returns one id of an interceptor, and axiosRetry returned two');
  for (const name of namesIn(source.root, 'responseInterceptorId')) {
    if (name.parent()?.id() === pattern.id()) continue;
    const statement = statementOf(name);
    if (!/\.response\.eject\(\w+\);?$/.test(statement.text()))
      throw new Stuck('`use` returns one id of an interceptor');
    source.remove(statement);
  }
  source.replace(pattern, 'requestInterceptorId');
}
