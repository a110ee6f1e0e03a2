const fetch = require('fetch-retry')(global.fetch);

module.exports.getJson = function getJson() {
  return fetch('https://api.example.com/data.json', { retryOn: [419, 503, 504] })
    .then(function (response) {
      return response.json();
    });
};
