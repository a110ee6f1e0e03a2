const { likeAsyncRetry } = require('@ebb/compat')
const { retry } = require('@ebb/core')
const axios = require('axios')

async function tvl () {
  const response = await retry(async () => await axios.get('https://api.example.com/tvl'), likeAsyncRetry())
  return response.data
}

module.exports = { tvl }
