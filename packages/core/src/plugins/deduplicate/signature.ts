const numbers = new WeakMap<object, string>();
let made = 0;

/** The same text for the same object. */
export function numberOf(value: object): string {
  let number = numbers.get(value);
  if (number === undefined) {
    made += 1;
    number = `#${made}`;
    numbers.set(value, number);
  }
  return number;
}

/** Plain objects are compared by their fields to this depth. */
const DEEPEST = 8;

/** The same text for equal values: lists and plain objects are equal if all in them is, anything else with an identity if it is the same. */
export function signature(value: unknown, depth = 0): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return String(value);
  const prototype = Object.getPrototypeOf(value);
  if (depth < DEEPEST && Array.isArray(value))
    return `[${value.map((one) => signature(one, depth + 1)).join()}]`;
  if (depth < DEEPEST && (prototype === Object.prototype || prototype === null)) {
    const fields = Reflect.ownKeys(value).map((key) => {
      const field: unknown = (value as Record<PropertyKey, unknown>)[key];
      return field === undefined ? '' : `${signature(String(key))}:${signature(field, depth + 1)}`;
    });
    return `{${fields.filter((field) => field !== '').sort()}}`;
  }
  return numberOf(value);
}
