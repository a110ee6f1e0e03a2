import { retry } from '@ebb/core';

// stopped b1a3

// likePRetry 735d

const run = async () => {
	const response = await fetch('https://api.example.com/thing');

	// Abort retrying if the resource doesn't exist
	if (response.status === 404) {
		throw stop(response.statusText || 'gone');
	}

	if (!response.ok) {
		throw new Error(`status ${response.status}`);
	}

	return response.text();
};

export const thing = async () => retry(run, {...likePRetry, maxRetries: 3, backoff: ({ retry }) => 200 * 2 ** (retry - 1)}, { judge: unlessStopped });
