// What programs of the pages import in Cloudflare Workers, as far as they use it.
declare module 'cloudflare:workers' {
  export const env: { readonly BUCKET: { getByName(name: string): import('@ebb/workers').BucketStub } };
  export function waitUntil(promise: Promise<unknown>): void;
}
