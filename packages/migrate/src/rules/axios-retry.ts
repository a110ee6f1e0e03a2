import { NO_RETRY_AFTER } from '../emitted/names.ts';
import { Bindings } from '../file/bindings.ts';
import {
  aliased,
  bodyOf,
  changes,
  functionOf,
  isAsync,
  isFunction,
  parametersOf,
  readsOf,
  withParameters,
} from '../file/functions.ts';
import { editObject, Left, type Option, OptionReader, optionsIn, renamed } from '../file/options.ts';
import {
  argumentsOf,
  bare,
  findAll,
  type Node,
  namesIn,
  PLACEHOLDER,
  plain,
  RETRY_PARAMETER,
  type Source,
  Stuck,
  statementOf,
  stringOf,
} from '../file/source.ts';

const LIBRARY = 'axios-retry';
const PREDICATE = /^is(Network|Retryable|SafeRequest|IdempotentRequest|NetworkOrIdempotentRequest)Error$/;
/** What the helper `errorOf` makes of an outcome, or the original error has. */
const READABLE = /^$|^\.(message|code|response(\.status)?|config(\.(url|method)(\.\w+)?)?)$/;
const READABLE_CONFIG = /^$|^\.(url|method)(\.\w+)?$/;

const like = `...${PLACEHOLDER}likeAxiosRetry`;

/** The defaults of options that decide by a condition of their own. */
function defaultsOf({ quote }: Source, options: readonly Option[]): string[] {
  const has = (key: string): boolean => options.some((option) => option.key === key);
  if (!has('retryCondition')) return [like];
  return [
    `methods: ${quote}all${quote}`,
    ...(has('retries') ? [] : ['maxRetries: 3']),
    ...(has('retryDelay') ? [] : [`backoff: ${PLACEHOLDER}constant(0)`]),
  ];
}

/** The expression that a function returns, if it does nothing else. */
function resultOf(called: Node): Node | undefined {
  const body = bodyOf(called);
  if (body.kind() !== 'statement_block') return bare(body);
  const [only, ...others] = body.namedChildren();
  return only?.kind() === 'return_statement' && others.length === 0 ? only.namedChildren()[0] : undefined;
}

class AxiosRetry {
  readonly #source: Source;
  readonly #bindings: Bindings;
  readonly #reader: OptionReader;
  /** Members that the object at work begins with. */
  #first: string[] = [];
  #total: string[] = [];

  constructor(source: Source) {
    this.#source = source;
    this.#bindings = new Bindings(source, LIBRARY);
    this.#reader = new OptionReader(
      source,
      (node) => this.#takesOptions(node),
      (object) => this.#edit(object, defaultsOf(source, optionsIn(object))),
    );
  }

  run(): void {
    for (const pair of findAll(this.#source.root, 'pair')) {
      const value = pair.field('value');
      if (stringOf(pair.field('key')) !== LIBRARY || value?.kind() !== 'object') continue;
      this.#source.attempt(pair, () => {
        this.#edit(value, []);
        this.#source.replace(pair, `ebb: ${this.#source.textOf(value)}`);
      });
    }
    for (const member of findAll(this.#source.root, 'property_signature'))
      if (stringOf(member.field('name')) === LIBRARY) this.#undeclare(member);
    const calls = this.#bindings.calls(this.#source, 'default');
    const done = calls.map((call) => this.#source.attempt(call, () => this.#call(call)));
    if (done.every(Boolean)) this.#references(this.#source.root);
  }

  /** Removes the option of a request from its type: that of ebb is declared by @ebb/axios. */
  #undeclare(member: Node): void {
    const statement = statementOf(
      member.ancestors().find((one) => one.kind() === 'interface_declaration') ?? member,
    );
    const outer = statementOf(statement.parent()?.parent() ?? statement);
    const isAlone =
      findAll(outer, 'property_signature', 'method_signature').length === 1 &&
      /^declare module/.test(outer.text());
    this.#source.remove(isAlone ? outer : member);
    this.#source.rewritten += 1;
  }

  #takesOptions(node: Node): boolean {
    const parent = node.parent();
    if (parent?.kind() === 'spread_element') return this.#takesOptions(parent.parent() as Node);
    const call = parent?.kind() === 'arguments' ? parent.parent() : null;
    return this.#bindings.named(call?.field('function')) === 'default';
  }

  #call(call: Node): void {
    const source = this.#source;
    const [client, options] = argumentsOf(call);
    if (client === undefined) throw new Stuck('axiosRetry without a client');
    const totalMs = this.#timeoutOf(client, options);
    this.#total =
      totalMs === undefined || (options && bare(options).kind() !== 'object')
        ? []
        : [`totalTimeoutMs: ${totalMs}`];
    let text = options === undefined ? `${PLACEHOLDER}likeAxiosRetry` : this.#reader.read(options);
    const isLiteral = options !== undefined && bare(options).kind() === 'object';
    if (!isLiteral && totalMs !== undefined) text = `{ ...${text}, totalTimeoutMs: ${totalMs} }`;
    const target = /^(identifier|member_expression|this)$/.test(String(client.kind()))
      ? client.text()
      : `(${source.textOf(client)})`;
    this.#ids(call);
    source.replace(call, `${target}.interceptors.request.use(${PLACEHOLDER}ebbInterceptor(${text}))`);
  }

  /** The timeout of the client, which holds over all attempts unless it is reset. */
  #timeoutOf(client: Node, options: Node | undefined): string | undefined {
    const all = options === undefined ? [] : this.#reader.all(options);
    if (all.find(({ key }) => key === 'shouldResetTimeout')?.value.text() === 'true') return undefined;
    for (const one of findAll(this.#source.root, 'variable_declarator', 'assignment_expression')) {
      const [name, value] = [
        one.field('name') ?? one.field('left'),
        one.field('value') ?? one.field('right'),
      ];
      if (name === null || value === null || plain(name) !== plain(client)) continue;
      for (const object of findAll(value, 'object')) {
        const timeout =
          object.parent()?.kind() === 'arguments' &&
          findAll(object, 'pair').find((pair) => pair.field('key')?.text() === 'timeout');
        if (timeout) return timeout.field('value')?.text();
      }
    }
    return undefined;
  }

  /** `use` returns one id, where axios-retry returned two. */
  #ids(call: Node): void {
    const parent = call.parent();
    if (parent?.kind() === 'expression_statement' || parent?.kind() === 'arrow_function') return;
    const pattern = parent?.kind() === 'variable_declarator' ? parent.field('name') : null;
    const names =
      pattern?.kind() === 'object_pattern' ? pattern.namedChildren().map((one) => one.text()) : [];
    if (
      pattern === null ||
      names.length === 0 ||
      names.some((name) => !/^(request|response)InterceptorId$/.test(name))
    )
      throw new Stuck('`use` returns one id of an interceptor, and axiosRetry returned two');
    for (const name of namesIn(this.#source.root, 'responseInterceptorId')) {
      if (name.parent()?.id() === pattern.id()) continue;
      const statement = statementOf(name);
      if (!/\.response\.eject\(\w+\);?$/.test(statement.text()))
        throw new Stuck('`use` returns one id of an interceptor');
      this.#source.remove(statement);
    }
    this.#source.replace(pattern, 'requestInterceptorId');
  }

  #edit(object: Node, lead: readonly string[]): void {
    const hasSpread = object.namedChildren().some((child) => child.kind() === 'spread_element');
    this.#first = hasSpread ? [...this.#total] : [...lead, ...this.#total];
    this.#total = [];
    const events = findAll(object, 'pair', 'method_definition').filter(
      (one) => one.parent()?.id() === object.id(),
    );
    const isEvent = (option: Option): boolean => /^on(Retry|MaxRetryTimesExceeded)$/.test(option.key);
    let told: string | undefined;
    for (const node of events) {
      const key = (node.field('key') ?? node.field('name'))?.text() ?? '';
      const option = { key, node, value: node.field('value') ?? node };
      if (!isEvent(option) || this.#unreadable(option) !== undefined) continue;
      told = `${renamed(this.#source, option, key)}${told === undefined ? '' : `, ${told}`}`;
    }
    editObject(this.#source, object, this.#first, (option) => {
      if (!isEvent(option)) return this.#option(option);
      const problem = this.#unreadable(option);
      if (problem !== undefined) return problem;
      const text = told && `onEvent: ${PLACEHOLDER}retryEvents({ ${told} })`;
      told = undefined;
      return text;
    });
  }

  #option(option: Option): string | Left | undefined {
    switch (option.key) {
      case 'retries':
        return renamed(this.#source, option, 'maxRetries');
      case 'retryDelay':
        return this.#delay(option);
      case 'retryCondition':
        return this.#condition(option);
      case 'shouldResetTimeout':
        return undefined;
      case 'validateResponse':
        return new Left('reject by `validateStatus` of axios, and retry by `classify`');
      default:
        return new Left('this option is not known');
    }
  }

  #condition(option: Option): string | Left {
    const { value } = option;
    const named = this.#bindings.named(value);
    if (named !== undefined && PREDICATE.test(named))
      return `classify: ${PLACEHOLDER}retriedIf(${PLACEHOLDER}${named})`;
    const condition = functionOf(this.#source, value);
    if (condition === undefined) return new Left('`classify` decides; what this reads is in another file');
    if (isAsync(condition)) return new Left('`classify` returns no promise; `inspect` may');
    const unreadable = this.#unknownReads(condition, 0, READABLE);
    if (unreadable !== undefined) return new Left(`\`classify\` decides, and has no ${unreadable}`);
    if (value === condition) this.#references(value);
    const text = renamed(this.#source, option, 'classify');
    if (value.kind() === 'method_definition') return new Left('write `classify` as a function');
    return text.replace(/^classify: /, `classify: ${PLACEHOLDER}retriedIf(`).concat(')');
  }

  /** What a function reads of a parameter that there is not. The predicates of the library may have all of it. */
  #unknownReads(called: Node, index: number, known: RegExp): string | undefined {
    return readsOf(called, index).find((read) => !known.test(read));
  }

  /** Why a function that is told of retries cannot be called as before. */
  #unreadable({ key, value }: Option): Left | undefined {
    const told = functionOf(this.#source, value);
    if (told === undefined) return new Left('`onEvent` is called; what this reads is in another file');
    const [error, config] = key === 'onRetry' ? [1, 2] : [0, 3];
    if (changes(told, config)) return new Left('`beforeAttempt` changes the headers of an attempt');
    const read =
      this.#unknownReads(told, error, READABLE) ?? this.#unknownReads(told, config, READABLE_CONFIG);
    if (read !== undefined) return new Left(`\`onEvent\` is called, and has no ${read}`);
    return isAsync(told) && /\bawait\b/.test(told.text())
      ? new Left('`onEvent` is not awaited; `beforeAttempt` is')
      : undefined;
  }

  #delay({ key, node, value }: Option): string | Left {
    if (this.#bindings.named(value) === 'exponentialDelay') return this.#exponential('100');
    if (value.kind() === 'call_expression' && this.#bindings.named(value.field('function')) === 'linearDelay')
      return `backoff: ({ ${RETRY_PARAMETER} }) => ${argumentsOf(value)[0]?.text() ?? 100} * ${RETRY_PARAMETER}`;
    const called = functionOf(this.#source, value);
    if (called === undefined)
      return new Left(`\`backoff\` returns the wait; what ${key} does is in another file`);
    if (isAsync(called)) return new Left('`backoff` returns no promise');
    const forwarded = this.#forwarded(called);
    if (forwarded !== undefined) return forwarded;
    if (readsOf(called, 1).length > 0)
      return new Left('`backoff` does not see the response; ebb waits for `Retry-After` anyway');
    this.#first.push(NO_RETRY_AFTER);
    if (value !== called && !(value.kind() === 'method_definition'))
      return `backoff: ({ ${RETRY_PARAMETER} }) => ${value.text()}(${RETRY_PARAMETER})`;
    this.#references(called);
    const text = withParameters(
      this.#source,
      called,
      `(${aliased('retry', parametersOf(called)[0])})`,
      'backoff',
    );
    return node.kind() === 'method_definition' ? text : `backoff: ${text}`;
  }

  #exponential(factor: string): string {
    return `backoff: ({ ${RETRY_PARAMETER}, random }) => ${factor} * 2 ** ${RETRY_PARAMETER} * (1 + random() / 5)`;
  }

  /** A function that only calls `exponentialDelay`. */
  #forwarded(called: Node): string | undefined {
    const result = isFunction(called) ? resultOf(called) : undefined;
    if (
      result?.kind() !== 'call_expression' ||
      this.#bindings.named(result.field('function')) !== 'exponentialDelay'
    )
      return undefined;
    const [count, error, factor = undefined] = argumentsOf(result);
    const isAll = count?.kind() === 'spread_element';
    if (!isAll && count?.text() !== parametersOf(called)[0]?.text()) return undefined;
    if (!isAll && (error === undefined || error.text() === 'undefined')) this.#first.push(NO_RETRY_AFTER);
    return this.#exponential(factor?.text() ?? '100');
  }

  /** Replaces the predicates of the library by helpers. */
  #references(root: Node): void {
    for (const node of findAll(root, 'member_expression', 'identifier')) {
      if (this.#bindings.holds(node) || node.parent()?.kind() === 'import_specifier') continue;
      const named = this.#bindings.named(node);
      const isDelay =
        named === 'exponentialDelay' &&
        node.parent()?.kind() === 'call_expression' &&
        argumentsOf(node.parent() as Node).length === 1;
      if (named !== undefined && (PREDICATE.test(named) || isDelay))
        this.#source.replace(node, `${PLACEHOLDER}${named}`);
    }
    for (const type of findAll(root, 'type_identifier')) {
      if (this.#bindings.holds(type) || !/^IAxiosRetryConfig$/.test(this.#bindings.named(type) ?? ''))
        continue;
      this.#source.replace(type, `${PLACEHOLDER}PolicyOptions`);
    }
  }
}

export function axiosRetry(source: Source): void {
  new AxiosRetry(source).run();
}
