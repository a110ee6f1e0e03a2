/** Stands between a response and those who ask it for its body. */
export interface BodyKeeper {
  /** `text()`, `json()` and the like; `native` is the response's own. */
  read(response: Response, native: () => Promise<unknown>): Promise<unknown>;
  /** `body` */
  stream(response: Response, native: () => unknown): unknown;
  /** `clone()` */
  clone(response: Response, native: () => Response): Response;
}

/** What reads a body whole; the last two are of node-fetch. */
const READS = [
  'json',
  'text',
  'arrayBuffer',
  'blob',
  'bytes',
  'formData',
  'buffer',
  'textConverted',
] as const;

type Prototype = Record<string, unknown>;

const keepers = new WeakMap<object, BodyKeeper>();
/** Our prototype for each that responses come with: the same but for what leads to the body. */
const ours = new WeakMap<object, object>();
/** The prototype that ours was made from. */
const theirs = new WeakMap<object, object>();

function hasBodyGetter(prototype: object | null): boolean {
  for (let at = prototype; at !== null; at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, 'body');
    if (found !== undefined) return found.get !== undefined;
  }
  return false;
}

/** Methods and getters of the names and kinds that they stand for. */
function derived(from: object): object {
  const members = {
    get body(): unknown {
      const native = (): unknown => Reflect.get(from, 'body', this);
      const keeper = keepers.get(this);
      return keeper === undefined ? native() : keeper.stream(this as Response, native);
    },
    clone(): Response {
      const native = (): Response => ((from as Prototype).clone as () => Response).call(this);
      const keeper = keepers.get(this);
      return keeper === undefined ? native() : keeper.clone(this as never, native);
    },
  };
  const descriptors = Object.getOwnPropertyDescriptors(members) as PropertyDescriptorMap;
  for (const name of READS) {
    const own = (from as Prototype)[name];
    if (typeof own !== 'function') continue;
    const { [name]: value } = {
      [name](this: Response): Promise<unknown> {
        const native = (): Promise<unknown> => own.call(this);
        const keeper = keepers.get(this);
        return keeper === undefined ? native() : keeper.read(this, native);
      },
    };
    descriptors[name] = { value, configurable: true, enumerable: true, writable: true };
  }
  return Object.create(from, descriptors);
}

/**
 * Puts a keeper between a response and those who ask for its body. The response stays the object that it is, of
 * the class that it is of, and gets no property: its prototype is swapped for one that derives from it.
 *
 * @returns false for a response that cannot be changed, and for one that is no more than a mock
 */
export function keepBodyOf(response: Response, keeper: BodyKeeper): boolean {
  const prototype = Object.getPrototypeOf(response) as object | null;
  if (prototype === null) return false;
  if (!theirs.has(prototype)) {
    if (!Object.isExtensible(response) || Object.hasOwn(response, 'body') || !hasBodyGetter(prototype))
      return false;
    let own = ours.get(prototype);
    if (own === undefined) {
      own = derived(prototype);
      ours.set(prototype, own);
      theirs.set(own, prototype);
    }
    if (!Reflect.setPrototypeOf(response, own)) return false;
  }
  keepers.set(response, keeper);
  return true;
}

/** The keeper of a response's body, if it has one. */
export function keeperOf(response: Response): BodyKeeper | undefined {
  return keepers.get(response);
}

function nativePrototype(response: Response): Prototype {
  const prototype = Object.getPrototypeOf(response);
  return theirs.has(prototype) ? (theirs.get(prototype) as Prototype) : (response as unknown as Prototype);
}

/** The body of a response, past its keeper. */
export function nativeBody(response: Response): unknown {
  return Reflect.get(nativePrototype(response), 'body', response);
}

/** A clone of a response, past its keeper; `undefined` for a mock that cannot be cloned. */
export function nativeClone(response: Response): Response | undefined {
  const { clone } = nativePrototype(response);
  return typeof clone === 'function' ? clone.call(response) : undefined;
}
