async function matches(api, ids) {
    const { default: pThrottle } = await import('p-throttle');
    const throttle = pThrottle({ limit: 10, interval: 1000 });
    const details = throttle((id) => api.details(id));
    return Promise.all(ids.map(details));
}

module.exports = { matches };
