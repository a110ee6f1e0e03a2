"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.findConfig = findConfig;
const node_fs_1 = require("node:fs");
const node_path_1 = require("node:path");
const fault_ts_1 = require("./fault.js");
/** The endings of a config file. */
const ENDINGS = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs', 'json'];
const LIST = ENDINGS.map((ending) => `.${ending}`).join(', ');
/** The folders that may hold the config: from the given one up to the nearest with a package.json, else that one alone. */
function foldersFrom(start) {
    const folders = [start];
    for (let folder = start; !(0, node_fs_1.existsSync)((0, node_path_1.join)(folder, 'package.json'));) {
        const parent = (0, node_path_1.dirname)(folder);
        if (parent === folder)
            return [start];
        folders.push(parent);
        folder = parent;
    }
    return folders;
}
/** @throws Error if the file does not exist, or has another ending */
function named(path) {
    if (!(0, node_fs_1.existsSync)(path))
        throw (0, fault_ts_1.fault)(`EBB_CONFIG names ${path}, which does not exist`);
    if (!ENDINGS.some((ending) => path.endsWith(`.${ending}`))) {
        throw (0, fault_ts_1.fault)(`EBB_CONFIG names ${path}, which is not one of ${LIST}`);
    }
    return path;
}
/**
 * The path of the config: the file that `EBB_CONFIG` names, relative to `directory`, or the `ebb.config.*` nearest to
 * `directory`, not above the nearest package.json. `undefined` if there is none.
 *
 * @throws Error if `EBB_CONFIG` names no config, and for two configs in one folder
 */
function findConfig(directory, name) {
    if (name)
        return named((0, node_path_1.resolve)(directory, name));
    for (const folder of foldersFrom(directory)) {
        const names = ENDINGS.map((ending) => `ebb.config.${ending}`);
        const [first, second] = names.filter((file) => (0, node_fs_1.existsSync)((0, node_path_1.join)(folder, file)));
        // To pick one silently would be a trap: the other is the one that is being edited.
        if (second)
            throw (0, fault_ts_1.fault)(`${folder} has ${first} and ${second}; keep one, or name one in EBB_CONFIG`);
        if (first)
            return (0, node_path_1.join)(folder, first);
    }
    return undefined;
}
//# sourceMappingURL=find.js.map