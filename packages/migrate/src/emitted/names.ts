// Names of ebb that rewritten programs use.

/** The packages of the names that are not of `@ebb/compat`. */
const HOME: Readonly<Record<string, string>> = {
  retry: '@ebb/core',
  createFetch: '@ebb/fetch',
  ebbInterceptor: '@ebb/axios',
  AxiosInstance: 'axios',
};

const COMPAT = '@ebb/compat';

/** The packages of ebb that a rewritten program may load. */
export const PACKAGES: readonly string[] = ['@ebb/axios', COMPAT, '@ebb/core', '@ebb/fetch'];

export function homeOf(name: string): string {
  return HOME[name] ?? COMPAT;
}

/** True for a type, which JavaScript does not import. */
export function isType(name: string): boolean {
  return /^[A-Z]/.test(name) && name !== 'AbortError';
}
