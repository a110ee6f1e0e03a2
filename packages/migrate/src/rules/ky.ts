import { Bindings } from '../file/bindings.ts';
import { aliasOf, functionOf, parametersOf, readsOf, withParameters } from '../file/functions.ts';
import { editObject, type Option, optionsIn, renameOption } from '../file/options.ts';
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
import { holderOf, isShared, usesOf } from './instances.ts';
import { isElsewhere, noteRequests } from './requests.ts';

const LIBRARY = 'ky';
const MAKES = /^(create|extend)$/;
const SENDS = /^(get|post|put|patch|head|delete)$/;
/** The timeout of each attempt without one, in milliseconds. */
const DEFAULT_TIMEOUT = '10000';

/** A client that the program makes. */
interface Instance {
  /** The variable or member that holds the client; `undefined` for the client of the library. */
  readonly holder?: string;
  /** The timeout that it gives its requests: a text, or `false`. */
  readonly timeout: string;
  /** True if it sends by ebb. */
  readonly sendsByEbb: boolean;
  /** True if it has retries of ky that could not be rewritten. */
  readonly stays: boolean;
  /** True if its `retry` is an object, with which that of a request is merged. */
  readonly hasObject: boolean;
}

/** The client of the library itself. */
const OF_KY: Instance = { timeout: DEFAULT_TIMEOUT, sendsByEbb: false, stays: false, hasObject: false };

class Ky {
  readonly #source: Source;
  readonly #bindings: Bindings;
  readonly #instances: Map<string, Instance> = new Map();

  constructor(source: Source) {
    this.#source = source;
    this.#bindings = new Bindings(source, LIBRARY);
  }

  run(): void {
    const source = this.#source;
    // In the order of the text: a client comes before those that extend it. A request may stand above its client.
    const calls = findAll(source.root, 'call_expression').toReversed();
    for (const isMaking of [true, false])
      for (const call of calls) {
        const used = this.#usedBy(call);
        if (used !== undefined && MAKES.test(used[1]) === isMaking) this.#use(call, ...used);
      }
    noteRequests(source, /^retry$/, (node) => {
      const list = node.parent();
      const call = list?.kind() === 'arguments' ? list.parent() : null;
      return call?.kind() === 'call_expression' && this.#usedBy(call) !== undefined;
    });
  }

  #use(call: Node, of: Instance, method: string): void {
    const source = this.#source;
    const given = argumentsOf(call).find((one) => bare(one).kind() === 'object');
    const object = given && bare(given);
    const retry = object && optionsIn(object).find(({ key }) => key === 'retry');
    const isOff = /^(0|\{ *limit: *0 *\})$/.test(retry?.value.text() ?? '');
    const makes = MAKES.test(method);
    const inherits = method !== 'create';
    const isLeft = retry === undefined || (isOff && !(inherits && of.sendsByEbb));
    const isDone =
      !isLeft &&
      source.attempt(call, () => {
        if (inherits && of.stays) throw new Stuck('the client that it uses stays');
        this.#edit(object as Node, of, method);
        if (makes) this.#checkMade(call);
      });
    const holder = makes ? holderOf(call) : undefined;
    // A client that sends by ebb reads `retry` no more: neither it nor its request would follow this one.
    if (!isLeft && !isDone && inherits && of.sendsByEbb && of.holder !== undefined)
      source.blocked.set(of.holder, 'a request of it, or a client that extends it, cannot be rewritten');
    if (holder === undefined) return;
    const origin = inherits && isLeft ? of : OF_KY;
    this.#instances.set(holder, {
      holder: origin.holder ?? holder,
      timeout: this.#timeoutIn(object) ?? of.timeout,
      sendsByEbb: isDone || origin.sendsByEbb,
      stays: (!isLeft && !isDone) || (inherits && of.stays),
      hasObject: (isDone && bare(retry.value).kind() === 'object') || origin.hasObject,
    });
  }

  /** @throws Stuck if requests of a client from this call may have unknown options */
  #checkMade(call: Node): void {
    const source = this.#source;
    const holder = holderOf(call);
    const reason = holder === undefined ? undefined : source.blocked.get(holder);
    if (reason !== undefined) throw new Stuck(reason);
    const sends = holder === undefined ? [] : usesOf(source, holder).map((use) => this.#sendOf(use));
    const isPlain = (send: Node | undefined): boolean =>
      send !== undefined && !argumentsOf(send).some((one, at) => at > 0 && isElsewhere(one));
    if (holder !== undefined && !holder.includes('.') && !isShared(call) && sends.every(isPlain)) return;
    source.mayMove();
    source.reach.moved += 1;
  }

  /** The call in which a use of a client stands: a send, or the making of another client with options that are written here. */
  #sendOf(use: Node): Node | undefined {
    const parent = use.parent();
    if (parent?.kind() === 'call_expression' && parent.field('function')?.id() === use.id()) return parent;
    const call = parent?.kind() === 'member_expression' ? parent.parent() : undefined;
    const method = parent?.field('property')?.text() ?? '';
    if (call?.kind() !== 'call_expression' || call.field('function')?.id() !== parent?.id()) return undefined;
    if (SENDS.test(method)) return call;
    return MAKES.test(method) && !isElsewhere(argumentsOf(call)[0]) ? call : undefined;
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
    const found = isLibrary ? OF_KY : this.#instances.get(client?.text() ?? '');
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
      const isObject = bare(option.value).kind() === 'object';
      if (method === 'extend' && of.hasObject && isObject)
        throw new Stuck('ky merges its `retry` with that of the client which it extends');
      const members = [
        // A number takes the place of all that the client has.
        ...(overrides && (isObject || !of.hasObject) ? [] : [`...${PLACEHOLDER}likeKy`]),
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
          return [renameOption(this.#source, option, 'maxRetries')];
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
    return withParameters(this.#source, called, `(${aliasOf('retry', parametersOf(called)[0])})`);
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
