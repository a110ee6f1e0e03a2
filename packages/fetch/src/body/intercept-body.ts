/** Replaces the members of a response that give access to its body. */
export interface BodyInterceptor {
  /** `text()`, `json()` and the like; `native` is the response's own method. */
  read(response: Response, native: () => Promise<unknown>): Promise<unknown>;
  /** `body` */
  stream(response: Response, native: () => unknown): unknown;
  /** `clone()` */
  clone(response: Response, native: () => Response): Response;
}

/** Methods that read a whole body; the last two belong to node-fetch. */
const READ_METHODS = [
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

const interceptors = new WeakMap<object, BodyInterceptor>();
/** The derived prototype of each native one. */
const derivedOf = new WeakMap<object, object>();
/** The native prototype of each derived one. */
const nativeOf = new WeakMap<object, object>();

function hasBodyGetter(prototype: object | null): boolean {
  for (let at = prototype; at !== null; at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, 'body');
    if (found !== undefined) return found.get !== undefined;
  }
  return false;
}

/** A prototype that overrides the members on the way to the body, with the same names and kinds of property. */
function derive(from: object): object {
  const members = {
    get body(): unknown {
      const native = (): unknown => Reflect.get(from, 'body', this);
      const interceptor = interceptors.get(this);
      return interceptor === undefined ? native() : interceptor.stream(this as Response, native);
    },
    clone(): Response {
      const native = (): Response => ((from as Prototype).clone as () => Response).call(this);
      const interceptor = interceptors.get(this);
      return interceptor === undefined ? native() : interceptor.clone(this as never, native);
    },
  };
  const descriptors = Object.getOwnPropertyDescriptors(members) as PropertyDescriptorMap;
  for (const name of READ_METHODS) {
    const own = (from as Prototype)[name];
    if (typeof own !== 'function') continue;
    const { [name]: value } = {
      [name](this: Response): Promise<unknown> {
        const native = (): Promise<unknown> => own.call(this);
        const interceptor = interceptors.get(this);
        return interceptor === undefined ? native() : interceptor.read(this, native);
      },
    };
    descriptors[name] = { value, configurable: true, enumerable: true, writable: true };
  }
  return Object.create(from, descriptors);
}

/**
 * Sets the interceptor of a response, in place of an earlier one. The response stays the same object of the same class
 * and gets no property: its prototype is replaced with one that derives from it.
 *
 * @returns false for a response that cannot be changed: a frozen one, or a mock
 */
export function interceptBody(response: Response, interceptor: BodyInterceptor): boolean {
  const prototype = Object.getPrototypeOf(response) as object | null;
  if (prototype === null) return false;
  if (!nativeOf.has(prototype)) {
    if (!Object.isExtensible(response) || Object.hasOwn(response, 'body') || !hasBodyGetter(prototype))
      return false;
    let own = derivedOf.get(prototype);
    if (own === undefined) {
      own = derive(prototype);
      derivedOf.set(prototype, own);
      nativeOf.set(own, prototype);
    }
    if (!Reflect.setPrototypeOf(response, own)) return false;
  }
  interceptors.set(response, interceptor);
  return true;
}

/** The interceptor of a response, if it has one. */
export function interceptorOf(response: Response): BodyInterceptor | undefined {
  return interceptors.get(response);
}

function nativePrototype(response: Response): Prototype {
  const prototype = Object.getPrototypeOf(response);
  return nativeOf.has(prototype)
    ? (nativeOf.get(prototype) as Prototype)
    : (response as unknown as Prototype);
}

/** The body of a response, without its interceptor. */
export function nativeBody(response: Response): unknown {
  return Reflect.get(nativePrototype(response), 'body', response);
}

/** A clone of a response, without its interceptor; `undefined` for a mock without `clone()`. */
export function nativeClone(response: Response): Response | undefined {
  const { clone } = nativePrototype(response);
  return typeof clone === 'function' ? clone.call(response) : undefined;
}
