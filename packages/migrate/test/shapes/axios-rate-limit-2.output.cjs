const axios = require('axios');
const rateLimit = require('axios-rate-limit');
const http = rateLimit(axios.create({ baseURL: 'https://api.example.com' }), { maxRPS: 2 }); // two a second

module.exports.usage = async function () {
    const ids = [1, 2, 3];
    return Promise.all(ids.map(async (id) => (await http.get('/usage/' + id)).data));
};
