"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.withJitter = withJitter;
/**
 * A wait that a server asked for, with up to a fifth of it on top, at most a second: clients that were told the same
 * time do not return together.
 */
function withJitter(waitMs, random) {
    return waitMs + random() * Math.min(waitMs / 5, 1_000);
}
//# sourceMappingURL=jitter.js.map