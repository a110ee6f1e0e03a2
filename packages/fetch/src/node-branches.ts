// Clones of the responses of node-fetch, whose bodies are streams of Node.
import { isNodeReadable, type NodeReadable } from '@ebb/core/adapter';

/** A stream of Node. */
interface NodeStream extends NodeReadable {
  listenerCount?(event: string): number;
  unpipe?(target: NodeStream): unknown;
}

const ignore = (): void => undefined;

/** The source of each stream that gets its body through a pipe. */
const sourceOf = /* @__PURE__ */ new WeakMap<NodeStream, NodeStream>();

/** Hazard: in Node a source waits for ever for a target that was destroyed in the turn of a part. */
export function drop(stream: NodeStream, error?: Error): void {
  sourceOf.get(stream)?.unpipe?.(stream);
  stream.destroy?.(error);
}

/** The streams that get the body of a response of node-fetch. Pipes pass on neither an error nor the end of all that read. */
class Branches {
  readonly #source: NodeStream;
  readonly #all: Set<NodeStream> = new Set();

  constructor(source: NodeStream) {
    this.#source = source;
    source.on('error', (error) => {
      for (const branch of this.#all) branch.destroy?.(error as Error);
    });
  }

  add(branch: NodeStream): void {
    this.#all.add(branch);
    sourceOf.set(branch, this.#source);
    branch.on('error', ignore);
    branch.on('close', () => {
      this.#all.delete(branch);
      if (this.#all.size === 0) drop(this.#source);
    });
  }
}

const branchesOf = /* @__PURE__ */ new WeakMap<Response, Branches>();

/** A clone. An abandoned body of node-fetch must hold up neither the other bodies nor the connection. */
export function cloneResponse(response: Response): Response {
  const source = response.body as unknown as NodeStream;
  const copy = response.clone();
  if (!isNodeReadable(source)) return copy;
  const before = branchesOf.get(response);
  // node-fetch 3 clones the first stream again, and leaves this one, which no one would read.
  const isLeft = before !== undefined && source.listenerCount?.('data') === 0;
  const branches = isLeft ? before : new Branches(source);
  branchesOf.set(response, branches);
  for (const branch of [response.body, copy.body]) branches.add(branch as unknown as NodeStream);
  if (isLeft) drop(source);
  return copy;
}
