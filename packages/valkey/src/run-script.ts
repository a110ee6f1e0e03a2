import type { StoreClient } from './store-client.ts';

/** ioredis, iovalkey and node-redis pass the server's message on; GLIDE has its own. */
const isNoScript = (error: unknown): boolean => /NOSCRIPT|NoScriptError/.test(String(error));

/** Runs a script over a key by its SHA-1, and in full on a node that does not know it. */
export async function runScript(
  port: StoreClient,
  script: { readonly text: string; readonly sha1: string },
  key: string,
  args: readonly string[],
): Promise<unknown> {
  try {
    return await port.evalsha(script.sha1, key, args);
  } catch (error) {
    // After a restart, a failover or SCRIPT FLUSH, and on a node that is new: EVAL teaches it to that node.
    if (!isNoScript(error)) throw error;
    return port.eval(script.text, key, args);
  }
}
