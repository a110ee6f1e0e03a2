"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.runScript = runScript;
/** ioredis, iovalkey and node-redis keep the server's message; GLIDE has its own. */
const isNoScript = (error) => /NOSCRIPT|NoScriptError/.test(String(error));
/** Runs a script over a key by its SHA-1, or sends it in full to a node that does not have it. */
async function runScript(storeClient, script, key, args) {
    try {
        return await storeClient.evalsha(script.sha1, key, args);
    }
    catch (error) {
        // The node is new or has lost its scripts (restart, failover, SCRIPT FLUSH). EVAL also stores the script there.
        if (!isNoScript(error))
            throw error;
        return storeClient.eval(script.text, key, args);
    }
}
//# sourceMappingURL=run-script.js.map