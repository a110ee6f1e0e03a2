// What only Node and its like have: copies of axios that `require` loaded, forms and streams of Node, and what axios's http
// adapter shows of its requests. web.ts has the same names. Selected by the conditions of "imports" in package.json.
export { BufferedForm } from '../body/buffered-form.ts';
export { closeWith, whenNodeBodyEnds } from '../body/node-body.ts';
export { loadedModules } from '../loaded-modules.ts';
export { abortUpload, breaksBody, everyRetryAfter, lastHop, received } from '../node-request.ts';
