/** @throws TypeError unless the value is an object */
export function checkObject(caller: string, name: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) throw wrong(caller, name, 'an object', value);
}

/** @throws TypeError if there is an option that is not known, such as a misspelt one */
export function checkNames(caller: string, options: object, known: readonly string[]): void {
  const other = Object.keys(options).find((name) => !known.includes(name));
  if (other === undefined) return;
  throw new TypeError(`${caller} has no option ${JSON.stringify(other)}; it takes ${known.join(', ')}`);
}

/** @throws TypeError unless the value is a boolean */
export function checkBoolean(caller: string, name: string, value: unknown): void {
  if (typeof value !== 'boolean') throw wrong(caller, name, 'a boolean', value);
}

/** @throws TypeError unless the value has the method */
export function checkApi(
  caller: string,
  name: string,
  value: unknown,
  method: string,
  expected: string,
): void {
  const has = typeof value === 'object' && value !== null && typeof Reflect.get(value, method) === 'function';
  if (!has) throw wrong(caller, name, expected, value);
}

function wrong(caller: string, name: string, expected: string, value: unknown): TypeError {
  const given = typeof value === 'object' && value !== null ? 'an object' : String(value);
  return new TypeError(`${caller}: ${name} must be ${expected}, got ${given}`);
}
