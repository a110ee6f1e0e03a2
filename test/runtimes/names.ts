/** The columns of the grid. */
export type RuntimeName =
  | 'Node 20.19'
  | 'Node 22'
  | 'Node 24'
  | 'Node 26'
  | 'Bun'
  | 'Deno'
  | 'Chromium'
  | 'workerd';

/** The rows of the grid, without versions. */
export type GridRowName =
  | 'fetch'
  | 'fetch, resuming'
  | 'axios, http'
  | 'axios, fetch'
  | 'axios, xhr'
  | 'undici'
  | "Node's fetch";
