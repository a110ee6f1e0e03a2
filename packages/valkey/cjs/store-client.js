"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.checkClient = void 0;
exports.storeClientOf = storeClientOf;
const bucket_1 = require("@ebb/core/bucket");
const hasMethod = (client, name) => typeof client[name] === 'function';
/** The two commands through the API of a client; `undefined` if it is not one. */
function adapt(client) {
    if (typeof client !== 'object' || client === null)
        return undefined;
    if (hasMethod(client, 'customCommand')) {
        const glide = client;
        return {
            evalsha: (sha1, key, args) => glide.customCommand(['EVALSHA', sha1, '1', key, ...args]),
            eval: (script, key, args) => glide.customCommand(['EVAL', script, '1', key, ...args]),
        };
    }
    if (hasMethod(client, 'evalSha') && hasMethod(client, 'eval')) {
        const redis = client;
        return {
            evalsha: (sha1, key, args) => redis.evalSha(sha1, { keys: [key], arguments: [...args] }),
            eval: (script, key, args) => redis.eval(script, { keys: [key], arguments: [...args] }),
        };
    }
    if (hasMethod(client, 'evalsha') && hasMethod(client, 'eval')) {
        if (!hasMethod(client, 'defineCommand'))
            return client;
        const ioredis = client;
        return {
            evalsha: (sha1, key, args) => ioredis.evalsha(sha1, 1, key, ...args),
            eval: (script, key, args) => ioredis.eval(script, 1, key, ...args),
        };
    }
    return undefined;
}
/** The two commands through the API of a client that {@link checkClient} accepts. */
function storeClientOf(client) {
    return adapt(client);
}
const checkClient = (name, value) => {
    if (adapt(value) !== undefined)
        return;
    throw bucket_1.check.wrongType(name, 'a client of iovalkey, ioredis, redis or @valkey/valkey-glide, or { evalsha, eval }', value);
};
exports.checkClient = checkClient;
//# sourceMappingURL=store-client.js.map