import { AbortError, likePRetry } from '@ebb/compat';
import { retry } from '@ebb/core';

const run = async () => {
	const response = await fetch('https://api.example.com/thing');

	// Abort retrying if the resource doesn't exist
	if (response.status === 404) {
		throw new AbortError(response.statusText || 'gone');
	}

	if (!response.ok) {
		throw new Error(`status ${response.status}`);
	}

	return response.text();
};

export const thing = async () => retry(run, likePRetry({retries: 3, minTimeout: 200}));
