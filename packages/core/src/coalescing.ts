export { type Coalescable, coalescing } from './parts/coalescing/coalescing.ts';
export { signature } from './parts/coalescing/signature.ts';
