const nodeFetch = require('node-fetch')
const fetchRetry = require('fetch-retry')

const fetch = fetchRetry(nodeFetch, { retries: 2, retryDelay: 200 })

const FETCH_OPTIONS = {
  redirect: 'follow',
  retries: 3,
  retryDelay: function (attempt, error, response) {
    return Math.pow(2, attempt) * 500
  }
}

exports.page = url => fetch(url, FETCH_OPTIONS).then(res => res.text())
