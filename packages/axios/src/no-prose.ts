/** {@link import('./prose.ts')} of production builds. */
export const explains: boolean = false;
