const { retry } = require('@ebb/core')
const axios = require('axios')

/** The defaults of async-retry: after any error without `bail` the function is called again. */
const likeAsyncRetry = {
  maxRetries: 10,
  backoff: ({ retry, random }) => (1 + random()) * 1000 * 2 ** (retry - 1),
  feedback: false,
  classify: (outcome) => {
    if (outcome.type === 'response' && outcome.status === 0) return 'success'
    return (outcome.error)?.bail ? 'final' : 'transient'
  },
}

async function tvl () {
  const response = await retry(async () => await axios.get('https://api.example.com/tvl'), likeAsyncRetry)
  return response.data
}

module.exports = { tvl }
