// Runs a program as the hooks of a SvelteKit application, on its development server. Prints the page that a visitor gets. A second
// program takes the place of its `+page.ts`.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sveltekit } from '@sveltejs/kit/vite';
import { createServer } from 'vite';

const LOAD = `
export async function load({ fetch }) {
  const response = await fetch('https://api.example.com/products');
  return { text: await response.text() };
}`;

const [, , hooks = '', load] = process.argv;
// Inside test/sdks, so that the packages resolve.
const root = mkdtempSync(join(import.meta.dirname, '../.kit-'));
process.once('exit', () => rmSync(root, { recursive: true }));
mkdirSync(join(root, 'src/routes'), { recursive: true });
const write = (path: string, text: string): void => writeFileSync(join(root, path), text);
write('package.json', '{ "type": "module" }');
write('src/app.html', '<head>%sveltekit.head%</head><body>%sveltekit.body%</body>');
write('src/routes/+page.svelte', '<script>let { data } = $props();</script><main>{data.text}</main>');
write('src/routes/+page.ts', LOAD);
if (load !== undefined) copyFileSync(load, join(root, 'src/routes/+page.ts'));
copyFileSync(hooks, join(root, 'src/hooks.server.ts'));
process.chdir(root);

const vite = await createServer({
  configFile: false,
  root,
  logLevel: 'silent',
  plugins: [await sveltekit()],
  ssr: { resolve: { externalConditions: ['@ebb/source'] } },
  optimizeDeps: { noDiscovery: true },
  server: { host: '127.0.0.1', port: 0 },
});
await vite.listen();
const response = await fetch(vite.resolvedUrls?.local[0] ?? '');
console.log(response.status, await response.text());
process.exit();
