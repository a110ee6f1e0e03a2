export * from '../request/layers.ts';
