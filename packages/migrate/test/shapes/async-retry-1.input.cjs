const retry = require('async-retry')
const axios = require('axios')

async function tvl () {
  const response = await retry(async bail => await axios.get('https://api.example.com/tvl'))
  return response.data
}

module.exports = { tvl }
