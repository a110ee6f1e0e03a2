export { onAbort } from '#platform';
