import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withoutSecrets } from '../store-error.ts';
import type { ClientName, Target } from './arguments.ts';
import { type Connection, StoreError, withTimeout } from './connection.ts';
import { type GlidePackage, openGlide } from './glide.ts';
import { type IoredisPackage, openIoredis } from './ioredis.ts';
import { type NodeRedisPackage, openNodeRedis } from './node-redis.ts';

/** The package, as this one finds it, or as the program finds it in whose folder this is started. */
export async function load(name: ClientName): Promise<object | undefined> {
  try {
    return (await import(name)) as object;
  } catch (error) {
    if (!isMissing(error, name)) throw error;
  }
  try {
    const path = createRequire(join(process.cwd(), 'ebb-valkey.js')).resolve(name);
    return (await import(pathToFileURL(path).href)) as object;
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    return undefined;
  }
}

function isMissing(error: unknown, name: string): boolean {
  const { code, message = '' } = error as NodeJS.ErrnoException;
  return /^(ERR_)?MODULE_NOT_FOUND$/.test(code ?? '') && message.includes(`'${name}'`);
}

/** @throws StoreError if no client is installed, or the store cannot be reached */
export async function connect(target: Target, find: typeof load = load): Promise<Connection> {
  for (const name of target.clients) {
    const found = await find(name);
    if (found === undefined) continue;
    const opening =
      name === '@valkey/valkey-glide'
        ? openGlide(found as GlidePackage, target)
        : name === 'redis'
          ? openNodeRedis(found as NodeRedisPackage, target)
          : openIoredis(found as IoredisPackage, target);
    try {
      return await withTimeout(opening, 'there is no connection');
    } catch (error) {
      const { message, code } = withoutSecrets(error) as NodeJS.ErrnoException;
      // An error of several addresses has no message.
      throw new StoreError(`${target.url.host} cannot be reached by ${name}: ${message || code}`, {
        cause: error,
      });
    }
  }
  const names = target.clients.join(', ');
  throw new StoreError(
    `no client of the store is installed: npm install ${target.clients[0]} (or another of ${names})`,
  );
}
