/** The text between the names of a cell's runtime and its row. */
export const BETWEEN = ' › ';

/** The one test of a cell that is not run. */
export const NOT_RUN = 'this cell';
