/** Options of a dispatch that an attempt has in place of the request's own. */
export type Changes = Readonly<Record<string, unknown>>;
