// Calls a program with what React Native has: whatwg-fetch over an XMLHttpRequest, here that of jsdom, and no DOMException.
import { createRequire } from 'node:module';
import { toUpstream } from '../page-preload.ts';

// They have no types of their own.
const require = createRequire(import.meta.url);
const { JSDOM } = require('jsdom');
const { fetch, Headers, Request, Response } = require('whatwg-fetch');
const { XMLHttpRequest } = new JSDOM('', { url: process.env.UPSTREAM_URL ?? '' }).window;
Object.assign(globalThis, { XMLHttpRequest, Headers, Request, Response, DOMException: undefined });
globalThis.fetch = toUpstream(fetch);

const [, , program = ''] = process.argv;
const { products } = (await import(program)) as { products(): Promise<unknown> };
console.log(await products());
process.exit();
