"use strict";
var __createBinding = (this && this.__createBinding) || (Object.create ? (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    var desc = Object.getOwnPropertyDescriptor(m, k);
    if (!desc || ("get" in desc ? !m.__esModule : desc.writable || desc.configurable)) {
      desc = { enumerable: true, get: function() { return m[k]; } };
    }
    Object.defineProperty(o, k2, desc);
}) : (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    o[k2] = m[k];
}));
var __setModuleDefault = (this && this.__setModuleDefault) || (Object.create ? (function(o, v) {
    Object.defineProperty(o, "default", { enumerable: true, value: v });
}) : function(o, v) {
    o["default"] = v;
});
var __importStar = (this && this.__importStar) || (function () {
    var ownKeys = function(o) {
        ownKeys = Object.getOwnPropertyNames || function (o) {
            var ar = [];
            for (var k in o) if (Object.prototype.hasOwnProperty.call(o, k)) ar[ar.length] = k;
            return ar;
        };
        return ownKeys(o);
    };
    return function (mod) {
        if (mod && mod.__esModule) return mod;
        var result = {};
        if (mod != null) for (var k = ownKeys(mod), i = 0; i < k.length; i++) if (k[i] !== "default") __createBinding(result, mod, k[i]);
        __setModuleDefault(result, mod);
        return result;
    };
})();
Object.defineProperty(exports, "__esModule", { value: true });
exports.BudgetPart = exports.SteadyTime = exports.leaseOf = exports.LeasedRetries = exports.WAITING_BUCKET_OPTIONS = exports.WaitingBucket = exports.originGate = exports.refillSteps = exports.defaultCapacity = exports.bucketSetup = exports.gcra = exports.sleep = exports.property = exports.readOptions = exports.RANDOM_OPTION = exports.LIMIT_CLOCK_OPTION = exports.CLOCK_OPTION = exports.systemClock = exports.nextTurn = exports.check = exports.callObserver = void 0;
var call_observer_ts_1 = require("./base/call-observer.js");
Object.defineProperty(exports, "callObserver", { enumerable: true, get: function () { return call_observer_ts_1.callObserver; } });
exports.check = __importStar(require("./base/check.js"));
var clock_ts_1 = require("./base/clock.js");
Object.defineProperty(exports, "nextTurn", { enumerable: true, get: function () { return clock_ts_1.nextTurn; } });
Object.defineProperty(exports, "systemClock", { enumerable: true, get: function () { return clock_ts_1.systemClock; } });
var options_ts_1 = require("./base/options.js");
Object.defineProperty(exports, "CLOCK_OPTION", { enumerable: true, get: function () { return options_ts_1.CLOCK_OPTION; } });
Object.defineProperty(exports, "LIMIT_CLOCK_OPTION", { enumerable: true, get: function () { return options_ts_1.LIMIT_CLOCK_OPTION; } });
Object.defineProperty(exports, "RANDOM_OPTION", { enumerable: true, get: function () { return options_ts_1.RANDOM_OPTION; } });
Object.defineProperty(exports, "readOptions", { enumerable: true, get: function () { return options_ts_1.readOptions; } });
var property_ts_1 = require("./base/property.js");
Object.defineProperty(exports, "property", { enumerable: true, get: function () { return property_ts_1.property; } });
var sleep_ts_1 = require("./base/sleep.js");
Object.defineProperty(exports, "sleep", { enumerable: true, get: function () { return sleep_ts_1.sleep; } });
exports.gcra = __importStar(require("./limits/bucket/gcra.js"));
var options_ts_2 = require("./limits/bucket/options.js");
Object.defineProperty(exports, "bucketSetup", { enumerable: true, get: function () { return options_ts_2.bucketSetup; } });
Object.defineProperty(exports, "defaultCapacity", { enumerable: true, get: function () { return options_ts_2.defaultCapacity; } });
exports.refillSteps = __importStar(require("./limits/bucket/refill-steps.js"));
var token_bucket_ts_1 = require("./limits/bucket/token-bucket.js");
Object.defineProperty(exports, "originGate", { enumerable: true, get: function () { return token_bucket_ts_1.originGate; } });
var waiting_bucket_ts_1 = require("./limits/bucket/waiting-bucket.js");
Object.defineProperty(exports, "WaitingBucket", { enumerable: true, get: function () { return waiting_bucket_ts_1.WaitingBucket; } });
var waiting_bucket_options_ts_1 = require("./limits/bucket/waiting-bucket-options.js");
Object.defineProperty(exports, "WAITING_BUCKET_OPTIONS", { enumerable: true, get: function () { return waiting_bucket_options_ts_1.WAITING_BUCKET_OPTIONS; } });
var leased_retries_ts_1 = require("./limits/leased-retries.js");
Object.defineProperty(exports, "LeasedRetries", { enumerable: true, get: function () { return leased_retries_ts_1.LeasedRetries; } });
Object.defineProperty(exports, "leaseOf", { enumerable: true, get: function () { return leased_retries_ts_1.leaseOf; } });
var time_ts_1 = require("./limits/queue/time.js");
Object.defineProperty(exports, "SteadyTime", { enumerable: true, get: function () { return time_ts_1.SteadyTime; } });
var budget_ts_1 = require("./parts/budget.js");
Object.defineProperty(exports, "BudgetPart", { enumerable: true, get: function () { return budget_ts_1.BudgetPart; } });
//# sourceMappingURL=bucket.js.map