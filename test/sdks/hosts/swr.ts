// Renders the hook of a program, and prints the data that it gets.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { JSDOM } = require('jsdom');
// React and SWR look for them when they are loaded.
const { window } = new JSDOM('<main></main>');
Object.assign(globalThis, { window, document: window.document });

const { createElement } = require('react');
const { createRoot } = require('react-dom/client');
const [, , program = ''] = process.argv;
const { useProducts } = (await import(program)) as { useProducts(): { data?: unknown; error?: unknown } };

const { promise, resolve, reject } = Promise.withResolvers<unknown>();
function Products(): null {
  const { data, error } = useProducts();
  if (error !== undefined) reject(error);
  if (data !== undefined) resolve(data);
  return null;
}
createRoot(window.document.querySelector('main')).render(createElement(Products));
console.log(await promise);
process.exit();
