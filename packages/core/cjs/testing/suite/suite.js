"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.rowsFor = rowsFor;
exports.suite = suite;
const testing_ts_1 = require("../../testing.js");
const connections_ts_1 = require("./connections.js");
const judge_ts_1 = require("./judge.js");
const play_ts_1 = require("./play.js");
const row_ts_1 = require("./row.js");
const table_ts_1 = require("./table.js");
const upstream_ts_1 = require("./upstream.js");
/** The row with what the adapter does in its own way. */
function expectedOf(row, { does = [], differs = {} }) {
    const { why: _, ...different } = differs[row.name] ?? { why: '' };
    return Object.assign({ ...row }, ...does.map((trait) => row.by?.[trait]), different);
}
async function runRow(given, adapter) {
    const row = expectedOf(given, adapter);
    const clock = (0, testing_ts_1.virtualClock)({ startMs: play_ts_1.NOW });
    const caller = new AbortController();
    const onHang = (0, play_ts_1.hangs)(row) ? () => (0, play_ts_1.hung)(row, clock, caller) : undefined;
    const upstream = await (0, upstream_ts_1.upstreamsOf)(adapter)(row.script, onHang);
    let run;
    try {
        run = await (0, play_ts_1.play)(row, (policy) => adapter.client(policy), clock, upstream.url, caller);
    }
    finally {
        await upstream.close();
    }
    const { timeoutError = 'TimeoutError', lacks } = adapter;
    (0, judge_ts_1.judge)(row, run, upstream.seen, { timeoutError, hasHistory: lacks?.history === undefined });
}
const MOCKED = 'a mock cannot misbehave as a server does';
function whySkipped(name, needs, adapter) {
    const { skips, mock, upstream } = adapter;
    const isMocked = mock !== undefined && upstream === undefined;
    const lacks = { ...adapter.lacks, ...(isMocked && { sockets: MOCKED }) };
    const lacking = needs.find((need) => lacks[need] !== undefined);
    return skips?.[name] ?? (lacking && lacks[lacking]);
}
/** @throws TypeError if the adapter names a row that is not there */
function checkNames({ skips, differs, name }, rows) {
    const known = new Set(rows.map((row) => row.name));
    const unknown = [...Object.keys(skips ?? {}), ...Object.keys(differs ?? {})].find((one) => !known.has(one));
    if (unknown !== undefined)
        throw new TypeError(`${name}: the suite has no row "${unknown}"`);
}
/**
 * The rows of the suite for an adapter, for programs without a test runner.
 *
 * @throws TypeError if `skips` or `differs` name a row that is not there
 */
function rowsFor(adapter) {
    const rows = [
        ...table_ts_1.table.map((row) => ({
            name: row.name,
            skipped: whySkipped(row.name, (0, row_ts_1.needsOf)(row), adapter),
            run: () => runRow(row, adapter),
        })),
        ...connections_ts_1.connectionRows.map(({ name, needs, run }) => ({
            name,
            skipped: whySkipped(name, needs, adapter),
            run: () => run(adapter, (0, upstream_ts_1.upstreamsOf)(adapter)),
        })),
    ];
    checkNames(adapter, rows);
    return rows;
}
/**
 * Defines a test for each row. A row is skipped only for a reason that the adapter gives, which is part of the name of its test.
 *
 * @throws TypeError if `skips` or `differs` name a row that is not there
 */
function suite({ describe, test }, adapter) {
    const rows = rowsFor(adapter);
    const define = (prefix) => {
        for (const { name, skipped, run } of rows) {
            if (skipped === undefined) {
                test(prefix + name, run);
                continue;
            }
            const title = `${prefix}${name} (skipped: ${skipped})`;
            if (test.skip !== undefined)
                test.skip(title, run);
            else if (test.ignore !== undefined)
                test.ignore(title, run);
            else
                test(title, async () => undefined);
        }
    };
    if (describe === undefined)
        define(`${adapter.name}: `);
    else
        describe(adapter.name, () => define(''));
}
//# sourceMappingURL=suite.js.map