'use strict'

const axios = require('axios')
const axiosRetry = require('axios-retry').default

// The upstream is slow on Mondays.
axiosRetry(axios, { retries: 5, retryDelay: axiosRetry.exponentialDelay })

module.exports.load = async function load () {
  const res = await axios({ url: 'https://api.example.com/report', method: 'get' })
  return res.data
}
