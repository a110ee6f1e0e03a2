"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.hasAsyncContext = exports.unshared = exports.sharesResponses = exports.Hops = exports.recordConnectErrors = exports.failedToConnectTo = exports.whenBodyEnds = void 0;
var adapter_1 = require("@ebb/core/adapter");
Object.defineProperty(exports, "whenBodyEnds", { enumerable: true, get: function () { return adapter_1.whenBodyEnds; } });
var connect_errors_ts_1 = require("../connect-errors.js");
Object.defineProperty(exports, "failedToConnectTo", { enumerable: true, get: function () { return connect_errors_ts_1.failedToConnectTo; } });
Object.defineProperty(exports, "recordConnectErrors", { enumerable: true, get: function () { return connect_errors_ts_1.recordConnectErrors; } });
var hops_ts_1 = require("../hops.js");
Object.defineProperty(exports, "Hops", { enumerable: true, get: function () { return hops_ts_1.Hops; } });
var next_ts_1 = require("../next.js");
Object.defineProperty(exports, "sharesResponses", { enumerable: true, get: function () { return next_ts_1.sharesResponses; } });
Object.defineProperty(exports, "unshared", { enumerable: true, get: function () { return next_ts_1.unshared; } });
var node_ts_1 = require("../node.js");
Object.defineProperty(exports, "hasAsyncContext", { enumerable: true, get: function () { return node_ts_1.hasAsyncContext; } });
//# sourceMappingURL=node.js.map