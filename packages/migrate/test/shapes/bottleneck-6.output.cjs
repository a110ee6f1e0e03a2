const Bottleneck = require('bottleneck')

const group = new Bottleneck.Group({ maxConcurrent: 1, minTime: 100, datastore: 'redis', clientOptions: { host: 'cache' } })

module.exports = (user, job) => group.key(user).schedule(job)
