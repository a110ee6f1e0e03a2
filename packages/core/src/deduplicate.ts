export { type DeduplicatePort, deduplicateWith } from './plugins/deduplicate/deduplicate.ts';
export { signature } from './plugins/deduplicate/signature.ts';
