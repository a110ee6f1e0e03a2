import { NO_RETRY_AFTER } from '../emitted/names.ts';
import type { Bindings } from '../file/bindings.ts';
import {
  aliased,
  bodyOf,
  changes,
  expressionOf,
  functionOf,
  isAsync,
  isFunction,
  parametersOf,
  readsOf,
  withParameters,
} from '../file/functions.ts';
import { editObject, LeftOption, type Option, optionsIn, renamed } from '../file/options.ts';
import {
  argumentsOf,
  bare,
  findAll,
  type Node,
  PLACEHOLDER,
  RETRY_PARAMETER,
  type Source,
  Stuck,
} from '../file/source.ts';

const PREDICATE = /^is(Network|Retryable|SafeRequest|IdempotentRequest|NetworkOrIdempotentRequest)Error$/;
/** The members of the error that the helper `errorOf` makes of an outcome, or of the original error. */
const READABLE =
  /^$|^\.(message|code|response(\.(status|headers(\.[\w-]+)?))?|config(\.(url|method)(\.\w+)?)?)$/;
const READABLE_CONFIG = /^$|^\.(url|method)(\.\w+)?$/;

/** The defaults of axios-retry. */
const like = `...${PLACEHOLDER}likeAxiosRetry`;

/** The defaults of options that decide by a condition of their own. */
function defaultsOf({ quote }: Source, options: readonly Option[]): string[] {
  const has = (key: string): boolean => options.some((option) => option.key === key);
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

/** Translates options of axios-retry. */
export class AxiosRetryOptions {
  readonly #source: Source;
  readonly #bindings: Bindings;
  /** Members that the object at work begins with. */
  #first: string[] = [];

  constructor(source: Source, bindings: Bindings) {
    this.#source = source;
    this.#bindings = bindings;
  }

  /**
   * @param isWhole false for the options of one request, which change some of those of the client
   * @param further members of the policy besides
   */
  edit(object: Node, isWhole: boolean, further: readonly string[] = []): void {
    const options = optionsIn(object);
    const isWithin = !isWhole || options.some(({ key }) => key === '...');
    const condition = options.find(({ key }) => key === 'retryCondition');
    const classify = condition && this.#condition(condition);
    const lead = classify !== undefined ? defaultsOf(this.#source, options) : [like];
    this.#first = [...(isWithin ? [] : lead), ...further];
    const isEvent = ({ key }: Option): boolean => /^on(Retry|MaxRetryTimesExceeded)$/.test(key);
    const told = options.filter((option) => isEvent(option) && this.#unreadable(option) === undefined);
    const members = told.map((option) => renamed(this.#source, option, option.key)).join(', ');
    let event: string | undefined = `onEvent: ${PLACEHOLDER}retryEvents({ ${members} })`;
    editObject(this.#source, object, this.#first, (option) => {
      if (option === condition || option.key === 'retryCondition') return classify;
      if (!isEvent(option)) return this.#option(option);
      const problem = this.#unreadable(option);
      if (problem !== undefined) return problem;
      const text = event;
      event = undefined;
      return text;
    });
  }

  #option(option: Option): string | LeftOption | undefined {
    switch (option.key) {
      case 'retries':
        return renamed(this.#source, option, 'maxRetries');
      case 'retryDelay':
        return this.#delay(option);
      case 'shouldResetTimeout':
        return undefined;
      case 'validateResponse':
        return new LeftOption('reject by `validateStatus` of axios, and retry by `classify`');
      default:
        return new LeftOption('this option is not known');
    }
  }

  /** @throws Stuck if nothing says the same: without it other requests would be sent again */
  #condition(option: Option): string {
    const { value } = option;
    const named = this.#bindings.named(value);
    if (named !== undefined && PREDICATE.test(named))
      return `classify: ${PLACEHOLDER}retriedIf(${PLACEHOLDER}${named})`;
    const condition = functionOf(this.#source, value);
    if (condition === undefined) throw new Stuck('`classify` decides; what this reads is in another file');
    if (isAsync(condition)) throw new Stuck('`classify` returns no promise; `inspect` may');
    const unreadable = this.#unknownReads(condition, 0, READABLE);
    if (unreadable !== undefined) throw new Stuck(`\`classify\` decides, and has no ${unreadable}`);
    if (value === condition) this.references(value);
    return `classify: ${PLACEHOLDER}retriedIf(${expressionOf(this.#source, value)})`;
  }

  /**
   * Returns a member of a parameter that a function reads and ebb does not have. The predicates of the library may read
   * the whole parameter.
   */
  #unknownReads(called: Node, index: number, known: RegExp): string | undefined {
    return readsOf(called, index).find((read) => !known.test(read));
  }

  /** Why a function that is told of retries cannot be called as before. */
  #unreadable({ key, value }: Option): LeftOption | undefined {
    const told = functionOf(this.#source, value);
    if (told === undefined) return new LeftOption('`onEvent` is called; what this reads is in another file');
    const [error, config] = key === 'onRetry' ? [1, 2] : [0, 3];
    if (changes(told, config)) return new LeftOption('`beforeAttempt` changes the headers of an attempt');
    const read =
      this.#unknownReads(told, error, READABLE) ?? this.#unknownReads(told, config, READABLE_CONFIG);
    if (read !== undefined) return new LeftOption(`\`onEvent\` is called, and has no ${read}`);
    return isAsync(told) && /\bawait\b/.test(told.text())
      ? new LeftOption('`onEvent` is not awaited; `beforeAttempt` is')
      : undefined;
  }

  /** @throws Stuck if nothing says the same: without it requests would be sent again at other times */
  #delay({ key, value }: Option): string {
    if (this.#bindings.named(value) === 'exponentialDelay') return this.#exponential('100');
    if (value.kind() === 'call_expression' && this.#bindings.named(value.field('function')) === 'linearDelay')
      return `backoff: ({ ${RETRY_PARAMETER} }) => ${argumentsOf(value)[0]?.text() ?? 100} * ${RETRY_PARAMETER}`;
    const called = functionOf(this.#source, value);
    if (called === undefined)
      throw new Stuck(`\`backoff\` returns the wait; what ${key} does is in another file`);
    if (isAsync(called)) throw new Stuck('`backoff` returns no promise');
    const forwarded = this.#forwarded(called);
    if (forwarded !== undefined) return forwarded;
    const reads = readsOf(called, 1);
    const unknown = reads.find((read) => !READABLE.test(read));
    if (unknown !== undefined) throw new Stuck(`\`backoff\` returns the wait, and has no ${unknown}`);
    this.#first.push(NO_RETRY_AFTER);
    if (value === called) this.references(called);
    if (reads.length > 0) return `backoff: ${PLACEHOLDER}waitOf(${expressionOf(this.#source, value)})`;
    if (value !== called) return `backoff: ({ ${RETRY_PARAMETER} }) => ${value.text()}(${RETRY_PARAMETER})`;
    return `backoff: ${withParameters(this.#source, called, `(${aliased('retry', parametersOf(called)[0])})`)}`;
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
  references(root: Node): void {
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
  }
}
