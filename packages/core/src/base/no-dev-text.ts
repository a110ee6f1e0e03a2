/**
 * Stands for dev-text.ts in production builds, which select it by the condition `production`. An error still has the name of
 * its option and the value that it got. Empty functions, because minifiers drop their calls together with the text.
 */
export function devText(_text: string): undefined {}

export function devTextOf(_text: () => string): undefined {}

/** Only what would hang or corrupt is checked: numbers that are none or out of range, and unknown names. */
export function inDevelopment(_check: () => void): void {}

/** The fields of the error have the value. */
export function show(value: unknown): string {
  return typeof value === 'number' ? String(value) : typeof value;
}
