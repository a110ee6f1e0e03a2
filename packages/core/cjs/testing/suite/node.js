"use strict";
// The part of Node's modules that the upstream uses. They are not imported: browsers have none, and bundlers fail on their names.
Object.defineProperty(exports, "__esModule", { value: true });
exports.nodeModule = nodeModule;
exports.listening = listening;
/** Kept from the start: a test may take it away, to try a runtime that has no such modules. */
const { process } = globalThis;
const builtin = process?.getBuiltinModule?.bind(process);
/**
 * A module of Node.
 *
 * @throws Error in a runtime that has none
 */
function nodeModule(name) {
    const found = builtin?.(name);
    if (found === undefined) {
        throw new Error(`the suite starts its upstream with ${name}; here it needs \`mock\` or \`upstream\``);
    }
    return found;
}
/** Listens on a free port of loopback, and returns the port. */
async function listening(server) {
    const isListening = new Promise((resolve, reject) => {
        server.once('listening', resolve);
        server.once('error', reject);
    });
    server.listen(0, '127.0.0.1');
    await isListening;
    return server.address().port;
}
//# sourceMappingURL=node.js.map