'use strict'

const axios = require('axios')
const { ebbInterceptor } = require('@ebb/axios')
const { constant } = require('@ebb/core')

/** The defaults of axios-retry. */
const likeAxiosRetry = {
  maxRetries: 3,
  backoff: constant(0),
  methods: 'all',
  classify: (outcome, { method }) => {
    const mayRepeat = /^(GET|HEAD|OPTIONS|PUT|DELETE)$/.test(method)
    if (outcome.type === 'failure') {
      if (outcome.kind === 'timeout' || outcome.kind === 'aborted') return 'final'
      return mayRepeat || outcome.kind !== 'unknown' ? 'transient' : 'final'
    }
    if (outcome.status < 300) return 'success'
    return mayRepeat && (outcome.status === 429 || outcome.status >= 500) ? 'transient' : 'final'
  },
}

// The upstream is slow on Mondays.
axios.interceptors.request.use(ebbInterceptor({ ...likeAxiosRetry, maxRetries: 5, backoff: ({ retry, random }) => 100 * 2 ** retry * (1 + random() / 5) }))

module.exports.load = async function load () {
  const res = await axios({ url: 'https://api.example.com/report', method: 'get' })
  return res.data
}
