export { type Coalescable, coalescing } from './plugins/coalescing/coalescing.ts';
export { signature } from './plugins/coalescing/signature.ts';
