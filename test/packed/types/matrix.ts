/** Module resolutions, and the file extensions of their programs. */
const RESOLUTIONS = {
  node16: { options: { module: 'node16', moduleResolution: 'node16' }, extensions: ['.cts', '.mts'] },
  nodenext: { options: { module: 'nodenext', moduleResolution: 'nodenext' }, extensions: ['.cts', '.mts'] },
  bundler: { options: { module: 'esnext', moduleResolution: 'bundler' }, extensions: ['.ts'] },
  node10: { options: { module: 'commonjs', moduleResolution: 'node10' }, extensions: ['.ts'] },
} as const;

const ANYWHERE = [
  'core',
  'adapter',
  'bucket',
  'compat',
  'fetch',
  'opentelemetry',
  'providers',
  'simulator',
  'testing',
];
/** Without workers: their `RequestInit` has a type parameter, so that nothing can be added to it. */
const WITH_GLOBAL = [...ANYWHERE, 'global'];
const IN_NODE = [...WITH_GLOBAL, 'axios', 'undici', 'valkey'];

/** The global types of a program, and the programs for them. */
const GLOBALS = {
  node: { lib: [], types: ['node'], programs: IN_NODE },
  'node and dom': { lib: ['dom', 'dom.iterable'], types: ['node'], programs: [...IN_NODE, 'dom'] },
  dom: { lib: ['dom', 'dom.iterable'], types: [], programs: [...WITH_GLOBAL, 'dom'] },
  bun: { lib: [], types: ['bun-types'], programs: [...IN_NODE, 'bun'] },
  'bun and dom': { lib: ['dom', 'dom.iterable'], types: ['bun-types'], programs: [...IN_NODE, 'bun', 'dom'] },
  workers: { lib: [], types: ['@cloudflare/workers-types'], programs: [...ANYWHERE, 'workers'] },
} as const;

/** One kind of user: `[resolution, globals]`, and the target with its library if it is old. */
export type Row = readonly [
  resolution: keyof typeof RESOLUTIONS,
  globals: keyof typeof GLOBALS,
  target?: 'es2020' | 'es2021',
];

/** The `tsconfig.json` of a row, for the folder that holds the programs. */
export function configOf(
  [resolution, globals, target]: Row,
  newest = 'es2024',
  further: object = {},
): object {
  const { options, extensions } = RESOLUTIONS[resolution];
  const { lib, types, programs } = GLOBALS[globals];
  const hasBoth = extensions.length === 2 && (programs as readonly string[]).includes('undici');
  return {
    compilerOptions: {
      ...options,
      lib: [target ?? newest, ...lib],
      types,
      target: target ?? 'es2022',
      strict: true,
      noEmit: true,
      esModuleInterop: true,
      skipDefaultLibCheck: true,
      ...further,
    },
    files: [
      ...programs.flatMap((program) => extensions.map((extension) => `${program}${extension}`)),
      ...(hasBoth ? ['mixed.cts', 'required.cts'] : []),
    ],
  };
}
