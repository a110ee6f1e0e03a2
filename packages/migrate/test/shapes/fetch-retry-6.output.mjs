import fetchRetry from 'fetch-retry';

const options = {
  retries: 5,
  retryDelay: 800,
  retryOn: async (attempt, error, response) => {
    if (attempt > 4) return false;
    if (error) return true;
    const json = await response.clone().json();
    return json.state === 'pending';
  },
};

// TODO(ebb): fetch-retry stays here: `retryOn` is asked at once: what has to wait belongs in `inspect`
export const poll = () => fetchRetry(fetch)('https://api.example.com/job', options);
