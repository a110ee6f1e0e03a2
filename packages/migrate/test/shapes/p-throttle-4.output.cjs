const { createPolicy, retry, tokenBucket } = require('@ebb/core');

async function matches(api, ids) {
    const throttle = createPolicy({ maxRetries: 0, feedback: false, bucket: tokenBucket({ capacity: 10, refillPerSecond: 10, refillIntervalMs: 1000 }) });
    const details = (id) => retry(() => api.details(id), throttle);
    return Promise.all(ids.map(details));
}

module.exports = { matches };
