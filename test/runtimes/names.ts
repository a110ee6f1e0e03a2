/** The runtimes in which fetch is tested. */
export type RuntimeName = 'Node 22' | 'Node 24' | 'Node 26' | 'Bun' | 'Deno' | 'Chromium' | 'workerd';
