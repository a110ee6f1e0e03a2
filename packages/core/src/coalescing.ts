export { type Coalescable, coalescing } from './parts/answer/coalescing.ts';
export { signature } from './parts/answer/signature.ts';
