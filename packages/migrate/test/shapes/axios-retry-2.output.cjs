'use strict'

const axios = require('axios')
const { ebbInterceptor } = require('@ebb/axios')
const { constant } = require('@ebb/core')

// likeAxiosRetry 83c1

// The upstream is slow on Mondays.
axios.interceptors.request.use(ebbInterceptor({ ...likeAxiosRetry, maxRetries: 5, backoff: ({ retry, random }) => 100 * 2 ** retry * (1 + random() / 5) }))

module.exports.load = async function load () {
  const res = await axios({ url: 'https://api.example.com/report', method: 'get' })
  return res.data
}
