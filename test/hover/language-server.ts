// The language server of TypeScript, as editors ask it.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly params?: unknown;
}

interface Hover {
  readonly contents: string | { readonly value: string } | readonly (string | { readonly value: string })[];
}

export interface Problem {
  readonly message: string;
  readonly range: { readonly start: { readonly line: number } };
}

export class LanguageServer implements Disposable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #pending = new Map<number, (result: unknown) => void>();
  #bytes = Buffer.alloc(0);
  #ids = 0;

  constructor(program: string) {
    this.#child = spawn(program, ['--lsp', '--stdio']);
    this.#child.stdout.on('data', (bytes: Buffer) => this.#read(bytes));
  }

  async start(folder: string): Promise<void> {
    const rootUri = pathToFileURL(folder).href;
    await this.#ask('initialize', { processId: process.pid, rootUri, capabilities: {} });
    this.#send({ method: 'initialized', params: {} });
  }

  open(file: string, text: string): void {
    const textDocument = { uri: pathToFileURL(file).href, languageId: 'typescript', version: 1, text };
    this.#send({ method: 'textDocument/didOpen', params: { textDocument } });
  }

  /** What an editor shows over this place of the text. */
  async hover(file: string, text: string, offset: number): Promise<string> {
    const before = text.slice(0, offset).split('\n');
    const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
    const textDocument = { uri: pathToFileURL(file).href };
    const hover = (await this.#ask('textDocument/hover', { textDocument, position })) as Hover | null;
    return [hover?.contents ?? []]
      .flat()
      .map((part) => (typeof part === 'string' ? part : (part as { readonly value: string }).value))
      .join('\n');
  }

  async problems(file: string): Promise<readonly Problem[]> {
    const textDocument = { uri: pathToFileURL(file).href };
    const { items } = (await this.#ask('textDocument/diagnostic', { textDocument })) as {
      readonly items: readonly Problem[];
    };
    return items;
  }

  #ask(method: string, params: unknown): Promise<unknown> {
    this.#ids += 1;
    const id = this.#ids;
    this.#send({ id, method, params });
    return new Promise((resolve) => this.#pending.set(id, resolve));
  }

  #send(message: Message): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  #read(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    for (;;) {
      const end = this.#bytes.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/i.exec(this.#bytes.toString('latin1', 0, end))?.[1]);
      if (end < 0 || this.#bytes.length < end + 4 + length) return;
      const body = this.#bytes.toString('utf8', end + 4, end + 4 + length);
      this.#bytes = this.#bytes.subarray(end + 4 + length);
      const { id, method, result } = JSON.parse(body) as Message;
      // A server that asks for settings gets none.
      if (method !== undefined && id !== undefined) this.#send({ id, result: null });
      else if (id !== undefined) this.#pending.get(id)?.(result);
    }
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }
}
