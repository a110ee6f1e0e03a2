// Where something is left to do: a whole file by the functions of @ebb/compat, which take options that come from elsewhere as they are.
import { Bindings } from '../file/bindings.ts';
import { functionOf } from '../file/functions.ts';
import { optionsIn } from '../file/options.ts';
import {
  argumentsOf,
  bare,
  findAll,
  type Node,
  namesIn,
  PLACEHOLDER,
  type Source,
  Stuck,
} from '../file/source.ts';
import { noteUnknownUses, requestPlaces } from './axios-retry-requests.ts';
import { isOpen } from './fetch-retry.ts';
import { FunctionRetry } from './function-retry.ts';
import { holderOf, isShared, usesOf } from './instances.ts';
import { P_RETRY } from './p-retry.ts';

/** How a call of a library becomes one with the same options. */
interface Kind {
  readonly library: string;
  readonly like: string;
  /** The options that may stand in the file: others have no counterpart. */
  readonly options: RegExp;
  /** The types of its options. */
  readonly types: RegExp;
  /** The helpers of the library that the function has as well. */
  readonly helpers: RegExp;
}

const NOTHING = /^$/;

class Like {
  readonly #source: Source;
  readonly #kind: Kind;
  readonly bindings: Bindings;

  constructor(source: Source, kind: Kind) {
    this.#source = source;
    this.#kind = kind;
    this.bindings = new Bindings(source, kind.library);
  }

  /** @param edit a call of the library */
  run(edit: (call: Node, like: (options: Node | undefined) => string) => void): void {
    const source = this.#source;
    const calls = this.bindings.calls(source, 'default');
    this.#rename(calls);
    for (const call of calls) source.attempt(call, () => edit(call, (options) => this.#given(options)));
  }

  /** Helpers and types get the names of ebb. */
  #rename(calls: readonly Node[]): void {
    const source = this.#source;
    const { helpers, types, like } = this.#kind;
    for (const node of [...findAll(source.root, 'member_expression'), ...namesIn(source.root)]) {
      const named = this.bindings.named(node);
      if (named === undefined || this.bindings.holds(node) || node.parent()?.kind() === 'import_specifier')
        continue;
      const isType = node.kind() === 'type_identifier';
      if (!isType && helpers.test(named)) source.replace(node, `${PLACEHOLDER}${like}.${named}`);
      else if (isType && types.test(named))
        source.replace(node, `${PLACEHOLDER}${like[0]?.toUpperCase()}${like.slice(1)}Options`);
      else if (
        !calls.some((call) => call.field('function')?.id() === node.id()) &&
        !isHelper(node, helpers, this.bindings)
      )
        source.todo(node, `${named} has no counterpart`);
    }
  }

  #given(options: Node | undefined): string {
    const { like } = this.#kind;
    if (options === undefined) return `${PLACEHOLDER}${like}()`;
    this.#check(options);
    return `${PLACEHOLDER}${like}(${this.#source.textOf(options)})`;
  }

  /** @throws Stuck if something in the options that is known cannot be followed */
  #check(options: Node): void {
    const object = bare(options);
    if (object.kind() !== 'object') {
      const named = findAll(this.#source.root, 'variable_declarator').find(
        (one) => one.field('name')?.text() === object.text(),
      );
      const value = named?.field('value');
      if (value && bare(value).kind() === 'object') this.#check(value);
      return;
    }
    for (const { key, value } of optionsIn(object)) {
      if (key === '...') this.#check(value);
      else if (!this.#kind.options.test(key)) throw new Stuck(`\`${key}\` has no counterpart`);
      else if (functionOf(this.#source, value) !== undefined)
        throw new Stuck(`what \`${key}\` reads is not looked at`);
    }
  }
}

/** True for the library in front of one of its helpers. */
function isHelper(node: Node, helpers: RegExp, bindings: Bindings): boolean {
  const parent = node.parent();
  return parent?.kind() === 'member_expression' && helpers.test(bindings.named(parent) ?? '');
}

const AXIOS_RETRY: Kind = {
  library: 'axios-retry',
  like: 'likeAxiosRetry',
  options: /^(retries|retryCondition|retryDelay|shouldResetTimeout|onRetry|onMaxRetryTimesExceeded)$/,
  types: /^IAxiosRetryConfig(Extended)?$/,
  helpers:
    /^(is(Network|Retryable|SafeRequest|IdempotentRequest|NetworkOrIdempotentRequest)Error|exponentialDelay|linearDelay|retryAfter)$/,
};

export function likeAxiosRetry(source: Source): void {
  const rule = new Like(source, AXIOS_RETRY);
  const hasOwn = requestPlaces(source, rule.bindings).length > 0;
  noteUnknownUses(source, rule.bindings, rule.bindings.calls(source, 'default'));
  rule.run((call, like) => {
    const [client, options] = argumentsOf(call);
    if (client === undefined || hasOwn) throw new Stuck('a request has options of its own');
    if (!/^(expression_statement|arrow_function)$/.test(String(call.parent()?.kind())))
      throw new Stuck('`use` returns one id of an interceptor, and axiosRetry returned two');
    const target = /^(identifier|member_expression|this)$/.test(String(client.kind()))
      ? client.text()
      : `(${source.textOf(client)})`;
    source.replace(
      call,
      `${target}.interceptors.request.use(${PLACEHOLDER}ebbInterceptor(${like(options)}))`,
    );
    source.reach.moved += 1;
  });
}

const FETCH_RETRY: Kind = {
  library: 'fetch-retry',
  like: 'likeFetchRetry',
  options: /^(retries|retryDelay|retryOn)$/,
  types: NOTHING,
  helpers: NOTHING,
};

export function likeFetchRetry(source: Source): void {
  new Like(source, FETCH_RETRY).run((call, like) => {
    const [base, options] = argumentsOf(call);
    const holder = holderOf(call);
    if (base === undefined || holder === undefined || isShared(call))
      throw new Stuck('a request has options of its own');
    const isPlain = (use: Node): boolean => {
      const sent = use.parent();
      const init = sent?.kind() === 'call_expression' ? argumentsOf(sent)[1] : undefined;
      return (
        init === undefined ||
        (bare(init).kind() === 'object' &&
          optionsIn(bare(init)).every(({ key }) => key !== '...' && !FETCH_RETRY.options.test(key)))
      );
    };
    const uses = usesOf(source, holder);
    if (!uses.every(isPlain)) throw new Stuck('a request has options of its own');
    const isSend = (node: Node): boolean =>
      node.kind() === 'call_expression' && node.field('function')?.text() === holder;
    if (
      isOpen(
        holder,
        uses.map((use) => use.parent() as Node),
        isSend,
      )
    )
      source.reach.moved += 1;
    source.replace(call, `${PLACEHOLDER}createFetch(${like(options)}, ${source.textOf(base)})`);
  });
}

const P_RETRY_LIKE: Kind = {
  library: 'p-retry',
  like: 'likePRetry',
  options: /^(retries|factor|minTimeout|maxTimeout|randomize|maxRetryTime|onFailedAttempt|shouldRetry)$/,
  types: /^Options$/,
  helpers: NOTHING,
};

export function likePRetry(source: Source): void {
  const functions = new FunctionRetry(source, P_RETRY);
  new Like(source, P_RETRY_LIKE).run((call, like) => {
    const [called, options] = argumentsOf(call);
    if (called === undefined) throw new Stuck('it calls nothing');
    source.replace(call, `${PLACEHOLDER}retry(${functions.callable(called)}, ${like(options)})`);
    source.reach.moved += 1;
  });
}
