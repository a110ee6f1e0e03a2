const { concurrencyLimit, createPolicy, retry, tokenBucket } = require("@ebb/core");
const axios = require("axios");

const limiter = createPolicy({ maxRetries: 0, feedback: false, bucket: tokenBucket({ capacity: 1, refillPerSecond: 10 }), concurrency: concurrencyLimit({ maxConcurrent: 2 }) });

const getItem = async (id, lang) => {
    const { data } = await axios.get(`https://api.example.com/items/${id}?lang=${lang}`);
    return data;
};

exports.items = () => Promise.all([1, 2, 3, 4, 5].map((id) => retry(() => getItem(id, "en"), limiter)));
