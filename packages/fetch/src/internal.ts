// The door for packages of features. It is no part of the public API: any release may change it.
export { withBody } from './attempt.ts';
export { FetchRequest } from './fetch-request.ts';
export {
  absoluteUrl,
  changedHeaders,
  copyArguments,
  headerIn,
  isRequest,
  withChanges,
  withRereadableBody,
} from './request.ts';
