const { likePThrottle } = require('@ebb/compat');

async function matches(api, ids) {
    const throttle = likePThrottle({ limit: 10, interval: 1000 });
    const details = throttle((id) => api.details(id));
    return Promise.all(ids.map(details));
}

module.exports = { matches };
