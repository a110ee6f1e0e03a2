import { ENDLESS } from '../emitted/names.ts';
import { Bindings } from '../file/bindings.ts';
import {
  bodyOf,
  expressionOf,
  functionOf,
  isAsync,
  isFunction,
  parametersOf,
  readsOf,
} from '../file/functions.ts';
import { editObject, LeftOption, type Option, OptionReader, optionsIn, renamed } from '../file/options.ts';
import {
  argumentsOf,
  bare,
  type Node,
  namesIn,
  PLACEHOLDER,
  RETRY_PARAMETER,
  type Source,
  Stuck,
} from '../file/source.ts';
import { holderOf, isShared, usesOf } from './instances.ts';
import { isElsewhere, noteRequests } from './requests.ts';

const LIBRARY = 'fetch-retry';
const OWN = /^(retries|retryDelay|retryOn)$/;
/** The members of a response that the helper `retriedOn` gives. */
const READABLE = /^$|^\.(status|ok|headers\.get)$/;

/**
 * True for a fetch that may get options of a request from elsewhere.
 *
 * @param sends what its uses stand in
 */
export function isOpen(
  holder: string | undefined,
  sends: readonly Node[],
  isSend: (node: Node) => boolean,
): boolean {
  const isPublic = holder?.includes('.') === true && !holder.startsWith('this.#');
  return isPublic || sends.some((send) => !isSend(send) || isElsewhere(argumentsOf(send)[1]));
}

class FetchRetry {
  readonly #source: Source;
  readonly #bindings: Bindings;
  readonly #defaults: OptionReader;
  readonly #inits: OptionReader;
  /** The names of fetches that retry. */
  readonly #products: Set<string> = new Set();

  constructor(source: Source) {
    this.#source = source;
    this.#bindings = new Bindings(source, LIBRARY);
    const like = [`...${PLACEHOLDER}likeFetchRetry`];
    this.#defaults = new OptionReader(source, this.#bindings, (object) => this.#edit(object, like));
    this.#inits = new OptionReader(
      source,
      this.#bindings,
      (object) => this.#editInit(object),
      (node) => this.#isInit(node),
    );
  }

  run(): void {
    const wraps = this.#bindings.calls(this.#source, 'default');
    for (const wrap of wraps) {
      const holder = holderOf(wrap);
      if (holder !== undefined) this.#products.add(holder);
    }
    for (const wrap of wraps) this.#source.attempt(wrap, () => this.#wrap(wrap));
    const isKnown = (node: Node): boolean => this.#isInit(node) || this.#bindings.takes(node);
    noteRequests(this.#source, OWN, isKnown);
  }

  #isWrap(call: Node): boolean {
    return call.kind() === 'call_expression' && this.#bindings.named(call.field('function')) === 'default';
  }

  #isSend(call: Node): boolean {
    const called = call.field('function');
    return (
      call.kind() === 'call_expression' &&
      called !== null &&
      (this.#products.has(called.text()) || this.#isWrap(bare(called)))
    );
  }

  #isInit(node: Node): boolean {
    const parent = node.parent();
    if (parent?.kind() === 'spread_element') return this.#isInit(parent.parent() as Node);
    const call = parent?.kind() === 'arguments' ? parent.parent() : undefined;
    return call !== undefined && call !== null && this.#isSend(call);
  }

  #wrap(wrap: Node): void {
    const source = this.#source;
    const [base, options] = argumentsOf(wrap);
    if (base === undefined) throw new Stuck('it wraps nothing');
    const holder = holderOf(wrap);
    if (holder === undefined ? wrap.parent()?.kind() !== 'call_expression' : isShared(wrap))
      throw new Stuck('other files may give their options with a request: `ebb` takes them');
    const sends =
      holder === undefined
        ? [wrap.parent() as Node]
        : usesOf(source, holder).map((use) => use.parent() as Node);
    for (const send of sends) {
      if (!this.#isSend(send)) continue;
      const init = argumentsOf(send)[1];
      if (init !== undefined && this.#mayHaveOwn(init)) source.replace(init, this.#inits.read(init));
    }
    const policy = options === undefined ? `${PLACEHOLDER}likeFetchRetry` : this.#defaults.read(options);
    if (isOpen(holder, sends, (send) => this.#isSend(send))) {
      source.mayMove();
      source.reach.moved += 1;
    }
    source.replace(wrap, `${PLACEHOLDER}createFetch(${policy}, ${source.textOf(base)})`);
  }

  /** True for options of a request that may have some of the library. Those that come from elsewhere are taken for plain ones. */
  #mayHaveOwn(init: Node): boolean {
    try {
      return optionsIn(this.#inits.objectOf(init)).some(({ key }) => OWN.test(key));
    } catch (error) {
      const isElsewhere = bare(init).kind() !== 'object' && !this.#source.blocked.has(init.text());
      if (error instanceof Stuck && isElsewhere) return false;
      throw error;
    }
  }

  /** How `retryOn` becomes `classify`. A function decides alone: no number ends the retries. */
  #decision(options: readonly Option[]): {
    readonly classify: string | undefined;
    readonly alone: boolean;
  } {
    const retryOn = options.find(({ key }) => key === 'retryOn');
    const classify = retryOn && this.#on(retryOn);
    const isFunction = retryOn !== undefined && functionOf(this.#source, retryOn.value) !== undefined;
    return { classify, alone: isFunction };
  }

  #edit(object: Node, first: readonly string[]): void {
    const { classify, alone } = this.#decision(optionsIn(object));
    const lead = [...first, ...(alone ? [ENDLESS] : [])];
    editObject(this.#source, object, lead, (option) => this.#option(option, classify, alone));
  }

  /** The three options of a request become one. */
  #editInit(object: Node): void {
    const options = optionsIn(object);
    const { classify, alone } = this.#decision(options);
    const own = options.filter(({ key }) => OWN.test(key));
    const texts = own.map((option) => {
      const text = this.#option(option, classify, alone);
      if (text instanceof LeftOption) throw new Stuck(`${option.key}: ${text.reason}`);
      return text;
    });
    let members: string | undefined = [...(alone ? [ENDLESS] : []), ...texts.filter(Boolean)].join(', ');
    editObject(this.#source, object, [], ({ key, node }) => {
      if (!OWN.test(key)) return this.#source.textOf(node);
      const text = members === undefined ? undefined : `ebb: { ${members} }`;
      members = undefined;
      return text;
    });
  }

  #option(option: Option, classify: string | undefined, alone: boolean): string | LeftOption | undefined {
    switch (option.key) {
      case 'retries':
        return alone ? undefined : renamed(this.#source, option, 'maxRetries');
      case 'retryDelay':
        return this.#delay(option);
      case 'retryOn':
        return classify;
      default:
        return new LeftOption('this option is not known');
    }
  }

  #delay({ value }: Option): string {
    const called = functionOf(this.#source, value);
    if (called === undefined) {
      if (!/^[\d_.]+$|^[A-Z][A-Z\d_]*$|[*+]/.test(value.text()))
        throw new Stuck('`backoff` returns the wait; what this is stands in another file');
      return `backoff: ${PLACEHOLDER}constant(${value.text()})`;
    }
    if (isAsync(called)) throw new Stuck('`backoff` returns no promise');
    const reads = [...readsOf(called, 1), ...readsOf(called, 2)];
    const unknown = readsOf(called, 2).find((read) => !READABLE.test(read));
    if (unknown !== undefined) throw new Stuck(`\`backoff\` returns the wait, and has no ${unknown}`);
    if (reads.length > 0) return `backoff: ${PLACEHOLDER}waitAfter(${expressionOf(this.#source, value)})`;
    const [attempt] = parametersOf(called);
    const isExpression =
      value === called && called.kind() === 'arrow_function' && bodyOf(called).kind() !== 'statement_block';
    if (attempt === undefined) return `backoff: ${expressionOf(this.#source, value)}`;
    if (!isExpression) {
      const callee = isFunction(value) ? `(${expressionOf(this.#source, value)})` : value.text();
      return `backoff: ({ ${RETRY_PARAMETER} }) => ${callee}(${RETRY_PARAMETER} - 1)`;
    }
    const body = bodyOf(called);
    for (const name of namesIn(body, attempt.text()))
      this.#source.replace(
        name,
        name.parent()?.kind() === 'arguments' ? `${RETRY_PARAMETER} - 1` : `(${RETRY_PARAMETER} - 1)`,
      );
    return `backoff: ({ ${RETRY_PARAMETER} }) => ${this.#source.textOf(body)}`;
  }

  #on(option: Option): string {
    const { value } = option;
    const called = functionOf(this.#source, value);
    if (called === undefined && bare(value).kind() !== 'array')
      throw new Stuck('`classify` decides; what this is stands in another file');
    if (called !== undefined && isAsync(called))
      throw new Stuck('`classify` returns no promise; `inspect` may');
    const read = called === undefined ? undefined : readsOf(called, 2).find((one) => !READABLE.test(one));
    if (read !== undefined) throw new Stuck(`\`classify\` decides, and has no ${read}; \`inspect\` may`);
    return `classify: ${PLACEHOLDER}retriedOn(${expressionOf(this.#source, value)})`;
  }
}

export function fetchRetry(source: Source): void {
  new FetchRetry(source).run();
}
