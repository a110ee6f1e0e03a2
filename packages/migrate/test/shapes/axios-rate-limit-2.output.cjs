const axios = require('axios');
const { ebbInterceptor } = require('@ebb/axios');
const { likeAxiosRateLimit } = require('@ebb/compat');
const http = likeAxiosRateLimit(axios.create({ baseURL: 'https://api.example.com' }), { maxRPS: 2 }, ebbInterceptor); // two a second

module.exports.usage = async function () {
    const ids = [1, 2, 3];
    return Promise.all(ids.map(async (id) => (await http.get('/usage/' + id)).data));
};
