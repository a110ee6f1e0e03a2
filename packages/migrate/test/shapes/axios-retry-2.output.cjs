'use strict'

const axios = require('axios')
const { ebbInterceptor } = require('@ebb/axios')
const { likeAxiosRetry } = require('@ebb/compat')

// The upstream is slow on Mondays.
axios.interceptors.request.use(ebbInterceptor(likeAxiosRetry({ retries: 5, retryDelay: likeAxiosRetry.exponentialDelay })))

module.exports.load = async function load () {
  const res = await axios({ url: 'https://api.example.com/report', method: 'get' })
  return res.data
}
