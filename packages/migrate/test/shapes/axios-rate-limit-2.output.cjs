const axios = require('axios');
const { ebbInterceptor } = require('@ebb/axios');
const { tokenBucket } = require('@ebb/core');
const http = axios.create({ baseURL: 'https://api.example.com' });
http.interceptors.request.use(ebbInterceptor({ maxRetries: 0, feedback: false, bucket: tokenBucket({ capacity: 2, refillPerSecond: 2, refillIntervalMs: 1000 }) })); // two a second

module.exports.usage = async function () {
    const ids = [1, 2, 3];
    return Promise.all(ids.map(async (id) => (await http.get('/usage/' + id)).data));
};
