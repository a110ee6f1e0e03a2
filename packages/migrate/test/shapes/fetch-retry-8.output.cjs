const nodeFetch = require('node-fetch')
const { likeFetchRetry } = require('@ebb/compat')
const { createFetch } = require('@ebb/fetch')

const fetch = createFetch(likeFetchRetry({ retries: 2, retryDelay: 200 }), nodeFetch)

const FETCH_OPTIONS = {
  redirect: 'follow',
  retries: 3,
  retryDelay: function (attempt, error, response) {
    return Math.pow(2, attempt) * 500
  }
}

exports.page = url => fetch(url, FETCH_OPTIONS).then(res => res.text())
