import { ENDLESS } from '../emitted/names.ts';
import { Bindings } from '../file/bindings.ts';
import { aliased, functionOf, isFunction, parametersOf, withParameters } from '../file/functions.ts';
import { editObject, LeftOption, type Option, OptionReader, optionsIn, renamed } from '../file/options.ts';
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

const TIMES = ['minTimeout', 'factor', 'maxTimeout', 'randomize'] as const;

/** The particulars of a library that calls functions again. */
export interface Kind {
  readonly library: string;
  /** The helper with its defaults. */
  readonly like: string;
  /** The waits of its default. */
  readonly randomizes: boolean;
  /** The parameter that is the number of the attempt. */
  readonly attemptAt: number;
  /** Translates an option that calls a function of the program into a member of `judgedBy`. */
  judged(source: Source, option: Option): string | LeftOption | undefined;
  /** Edits a function that is called again, before its parameters change. Returns true if it may stop the retries. */
  stops(source: Source, called: Node): boolean;
}

/** The wait before each retry, from four options. */
function backoffOf(options: readonly Option[], randomizes: boolean): string | undefined {
  const textOf = (key: string): string | undefined => options.find((one) => one.key === key)?.value.text();
  if (TIMES.every((key) => textOf(key) === undefined)) return undefined;
  const randomize = textOf('randomize') ?? String(randomizes);
  if (!/^(true|false)$/.test(randomize)) throw new Stuck('`randomize` is neither true nor false');
  const base = textOf('minTimeout') ?? '1000';
  const factor = textOf('factor') ?? '2';
  const isConstant = factor === '1' || base === '0';
  if (isConstant && randomize === 'false' && textOf('maxTimeout') === undefined)
    return `backoff: ${PLACEHOLDER}constant(${base})`;
  const grown = isConstant
    ? base
    : `${base} * ${/^[\w.]+$/.test(factor) ? factor : `(${factor})`} ** (${RETRY_PARAMETER} - 1)`;
  const jittered = randomize === 'true' ? `${grown} * (1 + random())` : grown;
  const cap = textOf('maxTimeout');
  const isEndless = cap === undefined || /^(Number\.POSITIVE_)?Infinity$/.test(cap);
  const names = [...(isConstant ? [] : [RETRY_PARAMETER]), ...(randomize === 'true' ? ['random'] : [])];
  const parameter = names.length > 0 ? `{ ${names.join(', ')} }` : '';
  return `backoff: (${parameter}) => ${isEndless ? jittered : `Math.min(${cap}, ${jittered})`}`;
}

/** Rewrites calls that give a function and options to a retry library. */
export class FunctionRetry {
  readonly #source: Source;
  readonly #kind: Kind;
  readonly bindings: Bindings;
  readonly #reader: OptionReader;
  /** Members of the call's third argument, from the options at work. */
  #judged: string[] = [];
  #signal: string | undefined;

  constructor(source: Source, kind: Kind) {
    this.#source = source;
    this.#kind = kind;
    this.bindings = new Bindings(source, kind.library);
    this.#reader = new OptionReader(
      source,
      this.bindings,
      (object) => this.#edit(object),
      (node) => this.bindings.takes(node, /^(default|makeRetriable)$/),
    );
  }

  /** @param always a member that judges every call of the file */
  calls(always: string | undefined): boolean[] {
    return this.bindings.calls(this.#source, 'default').map((call) =>
      this.#source.attempt(call, () => {
        this.#source.mayMove();
        const [called, options] = argumentsOf(call);
        if (called === undefined) throw new Stuck('it calls nothing');
        const stops = isFunction(bare(called)) && this.#kind.stops(this.#source, bare(called));
        this.#source.replace(called, this.callable(called));
        this.#give(options, always ?? (stops ? `${PLACEHOLDER}unlessStopped` : undefined), called);
        this.#source.replace(call.field('function') as Node, `${PLACEHOLDER}retry`);
      }),
    );
  }

  /** Edits what comes after the function of a call. */
  #give(options: Node | undefined, stopping: string | undefined, called: Node): void {
    const source = this.#source;
    const [policy, further] = this.policyOf(options, stopping);
    if (options === undefined) source.insert(called.range().end.index, `, ${policy}`);
    else source.replace(options, policy);
    if (further !== undefined) source.insert((options ?? called).range().end.index, `, ${further}`);
  }

  /** The second and third argument of `retry`. */
  policyOf(options: Node | undefined, stopping: string | undefined): [string, string | undefined] {
    this.#judged = [];
    this.#signal = undefined;
    const policy = options === undefined ? `${PLACEHOLDER}${this.#kind.like}` : this.#reader.read(options);
    if (options !== undefined && bare(options).kind() !== 'object') this.#shared(options);
    const retries =
      options &&
      this.#reader
        .all(options)
        .find(({ key }) => key === 'retries')
        ?.value.text();
    if (this.#judged.length > 0 && retries !== undefined) this.#judged.unshift(`retries: ${retries}`);
    const judged =
      this.#judged.length > 0 ? `${PLACEHOLDER}judgedBy({ ${this.#judged.join(', ')} })` : undefined;
    const both =
      judged && stopping
        ? `(settled, attempt) => ${stopping}(settled) ?? ${judged}(settled, attempt)`
        : (judged ?? stopping);
    const members = [
      ...(this.#signal === undefined ? [] : [this.#signal]),
      ...(both === undefined ? [] : [`judge: ${both}`]),
    ];
    return [policy, members.length > 0 ? `{ ${members.join(', ')} }` : undefined];
  }

  /** Options of several calls become a policy, which has no place for functions and signals. */
  #shared(options: Node): void {
    const own = this.#reader.all(options).find(({ key }) => key === 'signal' || /^(on|should)/.test(key));
    if (own !== undefined)
      throw new Stuck(`\`${own.key}\` is given with each call, and not in ${options.text()}`);
  }

  /** The function as `retry` calls it: with one object, in which the attempt is. */
  callable(given: Node): string {
    const source = this.#source;
    const node = bare(given);
    const { attemptAt } = this.#kind;
    if (isFunction(node))
      return withParameters(source, node, `(${aliased('attempt', parametersOf(node)[attemptAt])})`);
    const called = functionOf(source, node);
    const declared = this.#isWithoutParameters(node);
    if (declared || (called !== undefined && parametersOf(called).length === 0)) return source.textOf(node);
    if (attemptAt > 0) throw new Stuck(`whether ${node.text()} calls its first parameter is not known`);
    return `({ attempt }) => ${source.textOf(node)}(attempt)`;
  }

  /** A parameter that is declared as a function without parameters. */
  #isWithoutParameters(node: Node): boolean {
    const parameters = findAll(this.#source.root, 'required_parameter').filter(
      (one) => one.field('pattern')?.text() === node.text(),
    );
    return parameters.length === 1 && /^:\s*\(\)\s*=>/.test(parameters[0]?.field('type')?.text() ?? '');
  }

  #edit(object: Node): void {
    const source = this.#source;
    const options = optionsIn(object);
    const hasSpread = options.some(({ key }) => key === '...');
    if (hasSpread && options.some(({ key }) => TIMES.some((time) => time === key)))
      throw new Stuck('some of its waits stand in other options');
    let backoff = backoffOf(options, this.#kind.randomizes);
    const first = hasSpread ? [] : [`...${PLACEHOLDER}${this.#kind.like}`];
    editObject(source, object, first, (option) => {
      const { key, value } = option;
      if (TIMES.some((time) => time === key)) {
        const text = backoff;
        backoff = undefined;
        return text;
      }
      if (key === 'retries')
        return /Infinity$/.test(value.text()) ? ENDLESS : renamed(source, option, 'maxRetries');
      if (key === 'forever') return value.text() === 'true' ? ENDLESS : undefined;
      if (key === 'maxRetryTime')
        return /Infinity$/.test(value.text()) ? undefined : renamed(source, option, 'totalTimeoutMs');
      if (key === 'signal') {
        this.#signal = source.textOf(option.node);
        return undefined;
      }
      const judged = this.#kind.judged(source, option);
      if (typeof judged === 'string') this.#judged.push(judged);
      else return judged ?? new LeftOption(`\`${key}\` has no counterpart`);
      return undefined;
    });
  }
}
