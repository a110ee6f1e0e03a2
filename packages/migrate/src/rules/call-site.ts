// Calls of libraries whose options @ebb/compat takes as they are.
import { Bindings } from '../file/bindings.ts';
import { functionOf, isAsync, readsOf } from '../file/functions.ts';
import { type Option, optionsIn } from '../file/options.ts';
import {
  argumentsOf,
  bare,
  declarationsOf,
  findAll,
  type Node,
  namesIn,
  PLACEHOLDER,
  type Source,
  Stuck,
  stringOf,
} from '../file/source.ts';

/** How an option is judged: most of these rules are for functions of the program. */
interface OptionRule {
  /** The texts of the values that have a counterpart, if not all have. */
  readonly only?: RegExp;
  /** True if it decides, and so cannot be waited for. */
  readonly decides?: boolean;
  /** By parameter, the members that it may not read between two attempts. */
  readonly unreadable?: Readonly<Record<number, RegExp>>;
}

/** The options that p-retry and async-retry have of the package `retry`. */
export const DELAY_RULES: Readonly<Record<string, OptionRule>> = {
  ...{ retries: {}, factor: {}, minTimeout: {}, maxTimeout: {}, randomize: {}, maxRetryTime: {} },
  unref: { only: /^false$/ },
};

/** A library whose options a function of @ebb/compat takes. */
export interface Kind {
  readonly library: string;
  readonly like: string;
  /** The options that the function takes, each with its rules if it is a function. */
  readonly options: Readonly<Record<string, OptionRule>>;
  /** The names of ebb for other exports of the library. `<>` at the end keeps the arguments of a type. */
  readonly names?: Readonly<Record<string, string>>;
  /** Such names for types alone. */
  readonly types?: Readonly<Record<string, string>>;
  /** Why an export stays. */
  readonly stays?: Readonly<Record<string, string>>;
  /** True if names change only where nothing of the library stays in any file. */
  readonly isTogether?: boolean;
}

/** Replaces a module in a test. */
const MOCKS =
  /^((jest|vi)\.(mock|doMock|unmock|dontMock|setMock|requireActual|requireMock|importActual|importMock)|td\.replace|mock\.module)$/;

const TYPE = /^(nested_)?type_identifier$/;

/** The function or class of a call or of `new`. */
export function calledBy(call: Node): Node | null {
  return call.field('function') ?? call.field('constructor');
}

/** The places of a library in a program. */
export class CallSites {
  readonly source: Source;
  readonly kind: Kind;
  readonly bindings: Bindings;

  constructor(source: Source, kind: Kind) {
    this.source = source;
    this.kind = kind;
    this.bindings = new Bindings(source, kind.library);
  }

  /**
   * Edits all calls of an export, gives other exports the names of ebb, and writes a TODO above what is not known.
   */
  edit(edit: (call: Node) => void): void {
    const { source, bindings, kind } = this;
    const calls = bindings.calls(source, 'default');
    const called = new Set(calls.map((call) => calledBy(call)?.id()));
    const names = this.#otherNames().filter((node) => !called.has(node.id()));
    const ids = new Set(calls.map((call) => call.id()));
    // Those in a call that stays have to stay as well.
    const inCalls = new Map<number, Node[]>();
    for (const name of names)
      for (const id of name.ancestors().map((one) => one.id()))
        if (ids.has(id)) inCalls.set(id, [...(inCalls.get(id) ?? []), name]);
    const done = calls.map((call) =>
      source.attempt(call, () => {
        for (const name of inCalls.get(call.id()) ?? []) this.#rename(name);
        edit(call);
      }),
    );
    source.reach.moved += done.filter(Boolean).length;
    source.reach.kept += done.filter((isDone) => !isDone).length;
    const within = new Set([...inCalls.values()].flat().map((name) => name.id()));
    const outside = names.filter((name) => !within.has(name.id()));
    // Another file has the calls, which stay.
    const mayRename = source.held === undefined || (calls.length > 0 && !kind.isTogether);
    const renamed = outside.filter((name) => this.#rename(name, mayRename));
    if (calls.length === 0 && renamed.length > 0) source.rewritten += 1;
    this.#noteOthers();
  }

  /** Uses of exports, without their imports. */
  #otherNames(): Node[] {
    const { source, bindings } = this;
    const all = [
      ...findAll(source.root, 'member_expression', 'nested_type_identifier'),
      ...namesIn(source.root),
    ];
    return all.filter((node) => {
      const named = bindings.named(node);
      if (named === undefined || bindings.holds(node)) return false;
      const parent = String(node.parent()?.kind());
      const isPart = /^(member_expression|nested_type_identifier)$/.test(parent);
      if (/^(then|catch)$/.test(named)) return false;
      return !/^(import_specifier|type_query)$/.test(parent) && !(isPart && named === 'default');
    });
  }

  /** True for a program that has types of the library. */
  get hasTypes(): boolean {
    return this.#otherNames().some((node) => TYPE.test(String(node.kind())));
  }

  /** An export gets the name of ebb, or a TODO. @returns true for the name */
  #rename(node: Node, mayRename = true): boolean {
    const { source, bindings, kind } = this;
    const named = bindings.named(node) ?? '';
    const name = (TYPE.test(String(node.kind())) ? kind.types?.[named] : undefined) ?? kind.names?.[named];
    const unknown = `how ${named === 'default' ? 'it' : named} is used is not known`;
    const reason = kind.stays?.[named] ?? (name === undefined ? unknown : undefined);
    if (reason !== undefined) source.todo(node, `${kind.library} stays here: ${reason}`);
    if (name === undefined || reason !== undefined || !mayRename) return false;
    const parent = node.parent();
    const isWhole = parent?.kind() === 'generic_type' && !name.endsWith('<>');
    source.replace(isWhole ? parent : node, name.replace('<>', '').replaceAll('@', PLACEHOLDER));
    return true;
  }

  /** Other places that load the library, or stand for it. */
  #noteOthers(): void {
    const { source, bindings, kind } = this;
    const exported = findAll(source.root, 'export_statement').filter(
      (one) => stringOf(one.field('source')) === kind.library,
    );
    for (const other of [...exported, ...bindings.otherLoads(source)])
      source.todo(other, `${kind.library} stays here: how it is used is not known`);
    const mocks = findAll(source.root, 'call_expression').filter(
      (call) =>
        MOCKS.test(call.field('function')?.text() ?? '') && stringOf(argumentsOf(call)[0]) === kind.library,
    );
    for (const mock of mocks)
      source.todo(
        mock,
        `this stands for ${kind.library}, which the program loads no more: test what it sends`,
      );
  }

  /** Writes a call as `retry(called, like(options))`. */
  writeRetry(call: Node, called: string): void {
    const { source } = this;
    const [first, options] = argumentsOf(call) as [Node, Node?];
    const like = this.like(options);
    source.replace(first, called);
    if (options === undefined) source.insert(first.range().end.index, `, ${like}`);
    else source.replace(options, like);
    source.replace(call.field('function') as Node, `${PLACEHOLDER}retry`);
  }

  /** The call of the function of @ebb/compat with some options. @throws Stuck for what it cannot follow */
  like(options: Node | undefined): string {
    if (options !== undefined) this.check(options);
    const given = options === undefined ? '' : this.source.textOf(options);
    return `${PLACEHOLDER}${this.kind.like}(${given})`;
  }

  /**
   * @param isShared true for options that stand among others
   * @throws Stuck for options that the function of @ebb/compat cannot follow
   */
  check(given: Node, isShared = false): void {
    const object = bare(given);
    if (object.kind() === 'identifier') {
      const [declared, ...others] = declarationsOf(this.source, object.text());
      const value = others.length === 0 ? declared?.field('value') : undefined;
      if (value && bare(value).kind() === 'object') this.check(value, isShared);
    }
    if (object.kind() !== 'object') return;
    for (const option of optionsIn(object))
      if (option.key === '...') this.check(option.value, isShared);
      else if (!isShared || Object.hasOwn(this.kind.options, option.key)) this.#checkOption(option);
  }

  #checkOption({ key, value }: Option): void {
    const rule = Object.hasOwn(this.kind.options, key) ? this.kind.options[key] : undefined;
    const { only = /(?:)/, decides = false, unreadable = {} } = rule ?? {};
    if (rule === undefined || !only.test(value.text())) throw new Stuck(`\`${key}\` has no counterpart`);
    if (key === 'retries' && /^(Number\.POSITIVE_)?Infinity$/.test(value.text()))
      this.source.replace(value, 'Number.MAX_SAFE_INTEGER');
    const called = functionOf(this.source, value);
    if (called === undefined) return;
    if (decides && isAsync(called))
      throw new Stuck(`\`${key}\` is asked at once: what has to wait belongs in \`inspect\``);
    for (const [index, members] of Object.entries(unreadable)) {
      const read = readsOf(called, Number(index)).find((one) => members.test(one));
      if (read !== undefined)
        throw new Stuck(
          `\`${key}\` reads ${read.slice(1)}, which is not there yet: what needs it belongs in \`inspect\``,
        );
    }
  }
}
