import { Bindings } from '../file/bindings.ts';
import { aliased, functionOf, parametersOf, readsOf, withParameters } from '../file/functions.ts';
import { editObject, type Option, optionsIn, renamed } from '../file/options.ts';
import {
  argumentsOf,
  bare,
  findAll,
  type Node,
  PLACEHOLDER,
  RETRY_PARAMETER,
  type Source,
  Stuck,
  stringOf,
} from '../file/source.ts';
import { holderOf } from './instances.ts';

const LIBRARY = 'ky';
const MAKES = /^(create|extend)$/;
const SENDS = /^(get|post|put|patch|head|delete)$/;
/** The timeout of each attempt without one, in milliseconds. */
const DEFAULT_TIMEOUT = '10000';

/** A client that the program makes. */
interface Instance {
  /** The timeout that it gives its requests: a text, or `false`. */
  readonly timeout: string;
  /** True if it sends by ebb. */
  readonly sendsByEbb: boolean;
}

class Ky {
  readonly #source: Source;
  readonly #bindings: Bindings;
  readonly #instances: Map<string, Instance> = new Map();

  constructor(source: Source) {
    this.#source = source;
    this.#bindings = new Bindings(source, LIBRARY);
  }

  run(): void {
    if (this.#bindings.all.length === 0) return;
    // In the order of the text: a client comes before those that extend it.
    for (const call of findAll(this.#source.root, 'call_expression').reverse()) {
      const used = this.#usedBy(call);
      if (used === undefined) continue;
      const [of, method] = used;
      const given = argumentsOf(call).find((one) => bare(one).kind() === 'object');
      const object = given && bare(given);
      const made = { timeout: this.#timeoutIn(object) ?? of.timeout, sendsByEbb: of.sendsByEbb };
      const retry = object && optionsIn(object).find(({ key }) => key === 'retry');
      const isOff = retry === undefined || /^(0|\{ *limit: *0 *\})$/.test(retry.value.text());
      const isDone = !isOff && this.#source.attempt(call, () => this.#edit(object as Node, of, method));
      const holder = MAKES.test(method) ? holderOf(call) : undefined;
      if (holder !== undefined)
        this.#instances.set(holder, {
          ...made,
          sendsByEbb: isDone || (of.sendsByEbb && method === 'extend'),
        });
    }
  }

  /** The client that a call uses, and how. */
  #usedBy(call: Node): readonly [Instance, string] | undefined {
    const called = call.field('function');
    if (called === null) return undefined;
    const isMember = called.kind() === 'member_expression';
    const method = isMember ? (called.field('property')?.text() ?? '') : 'call';
    if (isMember && !MAKES.test(method) && !SENDS.test(method)) return undefined;
    const client = isMember ? called.field('object') : called;
    const isLibrary = client !== null && this.#bindings.named(client) === 'default';
    const found = isLibrary
      ? { timeout: DEFAULT_TIMEOUT, sendsByEbb: false }
      : this.#instances.get(client?.text() ?? '');
    return found && [found, method];
  }

  #timeoutIn(object: Node | undefined): string | undefined {
    return (
      object &&
      optionsIn(object)
        .find(({ key }) => key === 'timeout')
        ?.value.text()
    );
  }

  #edit(object: Node, of: Instance, method: string): void {
    const options = optionsIn(object);
    if (options.some(({ key }) => key === '...')) throw new Stuck('its options come from elsewhere');
    if (options.some(({ key }) => key === 'fetch'))
      throw new Stuck('it has a `fetch` of its own: give that to `createFetch`');
    const hooks = options.find(({ key }) => key === 'hooks')?.value;
    if (hooks !== undefined && /\bbeforeRetry\b/.test(hooks.text()))
      throw new Stuck('`beforeRetry` is `beforeAttempt`, or `onEvent`');
    const overrides = of.sendsByEbb && !MAKES.test(method);
    if (overrides && this.#source.isTypeScript)
      throw new Stuck('`ebb` of a request is not in the types of ky');
    const own = this.#timeoutIn(object);
    const timeout = own ?? of.timeout;
    const attempt =
      timeout === 'false' || (overrides && own === undefined) ? [] : [`attemptTimeoutMs: ${timeout}`];
    const translated = (option: Option): string => {
      const members = [
        ...(overrides ? [] : [`...${PLACEHOLDER}likeKy`]),
        ...attempt,
        ...this.#membersOf(option),
      ];
      return overrides
        ? `ebb: { ${members.join(', ')} }`
        : `fetch: ${PLACEHOLDER}createFetch({ ${members.join(', ')} }), retry: 0${own === undefined && timeout !== 'false' ? ', timeout: false' : ''}`;
    };
    editObject(this.#source, object, [], (option) => {
      if (option.key === 'retry') return translated(option);
      if (option.key === 'timeout') return overrides ? undefined : 'timeout: false';
      return this.#source.textOf(option.node);
    });
  }

  /** The options of a policy for `retry`. */
  #membersOf({ value }: Option): string[] {
    const object = bare(value);
    if (object.kind() === 'number' || /^[A-Z][A-Z\d_]*$/.test(object.text()))
      return [`maxRetries: ${value.text()}`];
    if (object.kind() !== 'object') throw new Stuck(`whether \`${value.text()}\` is a number is not known`);
    const options = optionsIn(object);
    const limit = options.find(({ key }) => key === 'backoffLimit')?.value.text();
    const delay = options.find(({ key }) => key === 'delay');
    const { quote } = this.#source;
    const members = options.flatMap((option): string[] => {
      switch (option.key) {
        case 'limit':
          return [renamed(this.#source, option, 'maxRetries')];
        case 'methods':
          return [`methods: ${this.#upperCase(option.value)}`];
        case 'statusCodes':
          return [`classify: ${PLACEHOLDER}retriedStatuses(${option.value.text()})`];
        case 'maxRetryAfter':
          return [`retryAfter: { maxMs: ${option.value.text()}, then: ${quote}cap${quote} }`];
        case 'delay':
        case 'backoffLimit':
          return [];
        default:
          throw new Stuck(`\`retry.${option.key}\` has no counterpart`);
      }
    });
    if (delay === undefined && limit === undefined) return members;
    const curve =
      delay === undefined
        ? `({ ${RETRY_PARAMETER} }) => 300 * 2 ** (${RETRY_PARAMETER} - 1)`
        : this.#delay(delay);
    if (limit === undefined) return [...members, `backoff: ${curve}`];
    if (delay !== undefined) throw new Stuck('`backoffLimit` with a `delay`: write both as one `backoff`');
    return [
      ...members,
      `backoff: ({ ${RETRY_PARAMETER} }) => Math.min(${limit}, 300 * 2 ** (${RETRY_PARAMETER} - 1))`,
    ];
  }

  #delay({ value }: Option): string {
    const called = functionOf(this.#source, value);
    if (called === undefined || called !== value || readsOf(called, 1).length > 0)
      throw new Stuck('what `retry.delay` does is not known');
    return withParameters(this.#source, called, `(${aliased('retry', parametersOf(called)[0])})`);
  }

  #upperCase(value: Node): string {
    const methods = bare(value).kind() === 'array' ? bare(value).namedChildren().map(stringOf) : [];
    if (methods.length === 0 || methods.includes(undefined))
      return `${value.text()}.map((method) => method.toUpperCase())`;
    const { quote } = this.#source;
    return `[${methods.map((method) => `${quote}${method?.toUpperCase()}${quote}`).join(', ')}]`;
  }
}

export function ky(source: Source): void {
  new Ky(source).run();
}
