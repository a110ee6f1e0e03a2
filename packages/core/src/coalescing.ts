export {
  type Coalescable,
  coalescing,
  signature,
} from './parts/answer/coalescing.ts';
