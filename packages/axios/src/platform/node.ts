// For Node, Bun and Deno: copies of axios that `require` loaded, forms and streams of Node, and the requests of axios's http
// adapter. web.ts has the same names. Selected by the conditions of "imports" in package.json.
export { BufferedForm } from '../body/buffered-form.ts';
export { closeWith, whenNodeBodyEnds } from '../body/node-body.ts';
export { loadedModules } from '../loaded-modules.ts';
export { abortUpload, breaksBody, everyRetryAfter, lastHop, received } from '../node-request.ts';
