/** What reads, and what it is given again and again. */
export type Reading = readonly [name: string, read: (text: string) => unknown, fills: readonly string[]];
