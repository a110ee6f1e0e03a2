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
} from '../file/source.ts';
import { AxiosRetryOptions } from './axios-retry-options.ts';
import { isTested, noteUnknownUses, type RequestPlace, requestPlaces } from './axios-retry-requests.ts';

const LIBRARY = 'axios-retry';

class AxiosRetry {
  readonly #source: Source;
  readonly #bindings: Bindings;
  readonly #reader: OptionReader;
  /** Reads the options of requests. */
  readonly #requests: OptionReader;
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
    this.#requests = new OptionReader(
      source,
      this.#bindings,
      (object) => this.#options.edit(object, false),
      (node) => isOfRequest(node),
    );
  }

  run(): void {
    const source = this.#source;
    const { reach } = source;
    for (const place of requestPlaces(source, this.#bindings)) {
      const isDone = source.attempt(place.node, () => this.#request(place));
      if (isTested(place.node)) continue;
      reach.requests += 1;
      if (!isDone) reach.kept += 1;
    }
    const calls = this.#bindings.calls(source, 'default');
    const done = calls.map((call) =>
      source.attempt(call, () => {
        this.#call(call);
        source.mayMove();
      }),
    );
    const others = noteUnknownUses(source, this.#bindings, calls);
    reach.kept += done.filter((isDone) => !isDone).length + others.filter((other) => !isTested(other)).length;
    // Clients that an earlier run has rewritten count as well.
    reach.moved += done.filter(Boolean).length + (source.text.includes('@ebb/axios') ? 1 : 0);
    if (done.every(Boolean)) this.#options.references(source.root);
  }

  /** Options of a request, or another use of their key. */
  #request({ node, options, target, isType = false }: RequestPlace): void {
    const source = this.#source;
    if (isType) {
      source.mayMove();
      this.#undeclare(node);
      return;
    }
    if (options === undefined) throw new Stuck('this reads or sets the options of requests');
    const { stuck } = source;
    const given = this.#requests.read(options);
    if (source.stuck > stuck) throw new Stuck(source.leftFor);
    source.mayMove();
    source.replace(node, target === undefined ? `ebb: ${given}` : `${source.textOf(target)}.ebb = ${given}`);
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

/** True for the value of the option of a request, or what is spread into one. */
function isOfRequest(node: Node): boolean {
  const parent = node.parent();
  if (parent?.kind() === 'spread_element') return isOfRequest(parent.parent() as Node);
  const key = parent?.field(parent.kind() === 'pair' ? 'key' : 'left');
  return key?.text().includes(LIBRARY) ?? false;
}

export function axiosRetry(source: Source): void {
  new AxiosRetry(source).run();
}
