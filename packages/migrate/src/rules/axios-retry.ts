import { Bindings } from '../file/bindings.ts';
import { OptionReader } from '../file/options.ts';
import {
  argumentsOf,
  bare,
  findAll,
  type Node,
  namesIn,
  PLACEHOLDER,
  plain,
  type Source,
  Stuck,
  statementOf,
  stringOf,
} from '../file/source.ts';
import { AxiosRetryOptions } from './axios-retry-options.ts';

const LIBRARY = 'axios-retry';

class AxiosRetry {
  readonly #source: Source;
  readonly #bindings: Bindings;
  readonly #reader: OptionReader;
  readonly #options: AxiosRetryOptions;
  /** A member of the policy that the call at work has besides. */
  #total: readonly string[] = [];

  constructor(source: Source) {
    this.#source = source;
    this.#bindings = new Bindings(source, LIBRARY);
    this.#reader = new OptionReader(source, this.#bindings, (object) =>
      this.#options.edit(object, true, this.#total),
    );
    this.#options = new AxiosRetryOptions(source, this.#bindings);
  }

  run(): void {
    for (const pair of findAll(this.#source.root, 'pair')) {
      const value = pair.field('value');
      if (stringOf(pair.field('key')) !== LIBRARY || value?.kind() !== 'object') continue;
      this.#source.attempt(pair, () => {
        this.#options.edit(value, false);
        this.#source.replace(pair, `ebb: ${this.#source.textOf(value)}`);
      });
    }
    for (const member of findAll(this.#source.root, 'property_signature'))
      if (stringOf(member.field('name')) === LIBRARY) this.#undeclare(member);
    const calls = this.#bindings.calls(this.#source, 'default');
    const done = calls.map((call) => this.#source.attempt(call, () => this.#call(call)));
    if (done.every(Boolean)) this.#options.references(this.#source.root);
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

  #call(call: Node): void {
    const source = this.#source;
    const [client, options] = argumentsOf(call);
    if (client === undefined) throw new Stuck('axiosRetry without a client');
    const totalMs = this.#timeoutOf(client, options);
    const total = totalMs === undefined ? [] : [`totalTimeoutMs: ${totalMs}`];
    const isLiteral = options !== undefined && bare(options).kind() === 'object';
    this.#total = isLiteral ? total : [];
    const given = options === undefined ? `${PLACEHOLDER}likeAxiosRetry` : this.#reader.read(options);
    const text = isLiteral || totalMs === undefined ? given : `{ ...${given}, ${total.join()} }`;
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
      statementOf(call).kind() === 'export_statement' ||
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
}

export function axiosRetry(source: Source): void {
  new AxiosRetry(source).run();
}
