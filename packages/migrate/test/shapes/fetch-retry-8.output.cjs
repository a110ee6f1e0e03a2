const nodeFetch = require('node-fetch')
const { constant } = require('@ebb/core')
const { createFetch } = require('@ebb/fetch')

// settledBy a598

// retriedOn 58bf

// likeFetchRetry a633

const fetch = createFetch({ ...likeFetchRetry, maxRetries: 2, backoff: constant(200) }, nodeFetch)

const FETCH_OPTIONS = {
  redirect: 'follow',
  ebb: { maxRetries: 3, backoff: ({ retry }) => (function (attempt, error, response) {
    return Math.pow(2, attempt) * 500
  })(retry - 1) },
}

exports.page = url => fetch(url, FETCH_OPTIONS).then(res => res.text())
