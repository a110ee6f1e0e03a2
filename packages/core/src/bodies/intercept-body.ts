import { BODY_READERS } from '../http/body.ts';

/** Replaces the members of a response that give access to its body. */
export interface BodyInterceptor {
  /** `text()`, `json()` and the like; `native` is the response's own method. */
  read(response: Response, native: (this: Response) => Promise<unknown>): Promise<unknown>;
  /** `body` */
  stream(response: Response, native: () => unknown): unknown;
  /** `clone()` */
  clone(response: Response, native: () => Response): Response;
}

/** That of a response. */
type Prototype = Pick<Response, 'clone'>;

/** A constructor that returns its argument: a class that extends it adds its private fields to that object. */
const Given = function given(object: object): object {
  return object;
} as unknown as new (
  object: object,
) => object;

/** A response with an interceptor. A private field is several times as fast as a `WeakMap`. */
class Intercepted extends Given {
  #interceptor: BodyInterceptor;

  constructor(response: object, interceptor: BodyInterceptor) {
    super(response);
    this.#interceptor = interceptor;
  }

  /** Replaces the interceptor; returns false if there is none. */
  static replace(response: object, interceptor: BodyInterceptor): boolean {
    if (!(#interceptor in response)) return false;
    response.#interceptor = interceptor;
    return true;
  }

  static get(response: object): BodyInterceptor | undefined {
    return #interceptor in response ? response.#interceptor : undefined;
  }
}

/** The derived prototype of each native one. */
const derivedOf = new WeakMap<object, object>();
/** The native prototype of each derived one. */
const nativeOf = new WeakMap<object, Prototype>();
/** The native prototype of the last response, and the one that derives from it: a program often has only one. */
let lastNative: object | undefined;
let lastDerived: object | undefined;

function hasBodyGetter(prototype: object | null): boolean {
  for (let at = prototype; at !== null; at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, 'body');
    if (found !== undefined) return found.get !== undefined;
  }
  return false;
}

/** A prototype that overrides the members on the way to the body, with the same names and kinds of property. */
function derive(from: Prototype): object {
  const members = {
    get body(): unknown {
      const native = (): unknown => Reflect.get(from, 'body', this);
      const interceptor = Intercepted.get(this);
      return interceptor === undefined ? native() : interceptor.stream(this, native);
    },
    clone(): Response {
      const native = (): Response => from.clone.call(this);
      const interceptor = Intercepted.get(this);
      return interceptor === undefined ? native() : interceptor.clone(this, native);
    },
  } satisfies ThisType<Response>;
  const descriptors: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(members);
  for (const name of BODY_READERS) {
    const native: (this: Response) => Promise<unknown> = Reflect.get(from, name);
    if (typeof native !== 'function') continue;
    const { [name]: value } = {
      [name](this: Response): Promise<unknown> {
        const interceptor = Intercepted.get(this);
        return interceptor === undefined ? native.call(this) : interceptor.read(this, native);
      },
    };
    descriptors[name] = { value, configurable: true, enumerable: true, writable: true };
  }
  return Object.create(from, descriptors);
}

/** The prototype that derives from a native one; `undefined` for that of a mock, whose body cannot be observed. */
function derivedFrom(native: Prototype): object | undefined {
  if (native === lastNative) return lastDerived;
  // Something may have copied the prototype of an intercepted response, such as a proxy.
  if (nativeOf.has(native)) return native;
  let derived = derivedOf.get(native);
  if (derived === undefined) {
    if (!hasBodyGetter(native)) return undefined;
    derived = derive(native);
    derivedOf.set(native, derived);
    nativeOf.set(derived, native);
  }
  lastNative = native;
  lastDerived = derived;
  return derived;
}

/**
 * Sets the interceptor of a response, in place of an earlier one. The response stays the same object of the same class
 * and gets no property: its prototype is replaced with one that derives from it.
 *
 * @returns false for a response that cannot be changed: a frozen one, or a mock
 */
export function interceptBody(response: Response, interceptor: BodyInterceptor): boolean {
  const prototype: Prototype | null = Object.getPrototypeOf(response);
  // To look for a private field takes long: one that has an interceptor has another prototype.
  if (prototype !== lastNative && Intercepted.replace(response, interceptor)) return true;
  if (prototype === null || Object.hasOwn(response, 'body')) return false;
  const derived = derivedFrom(prototype);
  if (derived === undefined || !Reflect.setPrototypeOf(response, derived)) return false;
  new Intercepted(response, interceptor);
  return true;
}

/** False for a prototype that this module has made. */
export function isNative(prototype: object | null): boolean {
  return prototype === null || !nativeOf.has(prototype);
}

/** The interceptor of a response, if it has one. */
export function interceptorOf(response: Response): BodyInterceptor | undefined {
  return Intercepted.get(response);
}

function nativePrototype(response: Response): Prototype {
  const prototype = Object.getPrototypeOf(response);
  return nativeOf.get(prototype) ?? response;
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
