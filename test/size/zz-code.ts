const { bundled } = await import('./bundle.ts');
const { code } = await bundled(
  process.argv[2] as string,
  new URL('..', import.meta.url).pathname,
  (process.argv[3] ?? 'web') as 'web',
  'source',
);
process.stdout.write(code);
