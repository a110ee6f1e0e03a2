export * from '../request/layers-web.ts';
