// Calls the server action of a program, with the fetch of Next.js itself.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
require('next/dist/server/node-environment-baseline.js');
const { patchFetch } = require('next/dist/server/lib/patch-fetch.js');
const { workAsyncStorage } = require('next/dist/server/app-render/work-async-storage.external.js');
const { workUnitAsyncStorage } = require('next/dist/server/app-render/work-unit-async-storage.external.js');
const { actionAsyncStorage } = require('next/dist/server/app-render/action-async-storage.external.js');
patchFetch({ workAsyncStorage, workUnitAsyncStorage });

const [, , program = ''] = process.argv;
const { order } = (await import(program)) as { order(form: FormData): Promise<string> };
const form = new FormData();
form.set('product', 'tea');
const act = (): Promise<string> => actionAsyncStorage.run({ isAction: true }, () => order(form));
console.log(await workAsyncStorage.run({ route: '/', nextFetchId: 1 }, act));
process.exit();
