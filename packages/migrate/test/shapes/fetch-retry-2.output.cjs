const { constant } = require('@ebb/core');
const { createFetch } = require('@ebb/fetch');

// settledBy efe3

// retriedOn 6a6a

// likeFetchRetry f0ee

const fetch = createFetch(likeFetchRetry, global.fetch);

module.exports.getJson = function getJson() {
  return fetch('https://api.example.com/data.json', { ebb: { classify: retriedOn([419, 503, 504]) } })
    .then(function (response) {
      return response.json();
    });
};
