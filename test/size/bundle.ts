import { builtinModules } from 'node:module';
import { type BuildOptions, build } from 'esbuild';

/** Which entry of the packages a program gets: that of Node, or that of browsers and workers, in production. */
export type Platform = 'node' | 'web';

export const PLATFORMS: readonly Platform[] = ['web', 'node'];

/** Where the packages of ebb are taken from: from their sources, or from what is built, as users get it. */
export type Origin = 'source' | 'built';

/** What every bundle of a program with ebb has in common. Each size and each cost is that of such a bundle. */
export function bundleOptions(platform: Platform, origin: Origin): BuildOptions {
  const isWeb = platform === 'web';
  return {
    bundle: true,
    platform: isWeb ? 'neutral' : 'node',
    mainFields: isWeb ? ['browser', 'module', 'main'] : ['module', 'main'],
    // With conditions of its own esbuild does not add `module`, and adds `node` for the platform.
    conditions: [
      ...(origin === 'source' ? ['@ebb/source'] : []),
      ...(isWeb ? ['browser', 'production'] : []),
    ],
    logLevel: 'error',
  };
}

/** What a client and a telemetry already in the program bring, what the platform brings, and what is no JavaScript. */
const PEERS = ['axios', 'undici', '@opentelemetry/api', '@ast-grep/napi', 'node:*', ...builtinModules];

/** A program with all that it imports, minified. */
export interface Bundle {
  readonly code: Uint8Array;
  /** How many bytes of the code are from which file. */
  readonly bytesOf: Readonly<Record<string, number>>;
}

/** Bundles a program with all that it imports from a folder, without the clients themselves. */
export async function bundled(
  program: string,
  folder: string,
  platform: Platform,
  origin: Origin,
): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    ...bundleOptions(platform, origin),
    stdin: { contents: program, resolveDir: folder, loader: 'ts' },
    minify: true,
    metafile: true,
    write: false,
    outfile: 'bundle.js',
    format: 'esm',
    target: 'es2022',
    external: PEERS,
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const code = outputFiles?.[0]?.contents ?? new Uint8Array();
  if (code.length === 0) throw new Error(`Nothing is left of ${program}`);
  const [output] = Object.values(metafile?.outputs ?? {});
  const inputs = Object.entries(output?.inputs ?? {});
  return {
    code,
    bytesOf: Object.fromEntries(inputs.map(([file, { bytesInOutput }]) => [file, bytesInOutput])),
  };
}
