const Bottleneck = require('bottleneck')

// TODO(ebb): bottleneck stays here: `perKey(make, { keyOf })` has a limit for each key
const group = new Bottleneck.Group({ maxConcurrent: 1, minTime: 100, datastore: 'redis', clientOptions: { host: 'cache' } })

module.exports = (user, job) => group.key(user).schedule(job)
