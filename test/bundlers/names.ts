/** An option of a token bucket that no program here names. */
export const OF_BUCKET = 'nonConforming';

/** An import of a module of Node, or what Vite puts in its place. */
export const OF_NODE: RegExp = /\b(?:from|import|require)\b[\s(]*["'`]node:|__vite-browser-external/;
