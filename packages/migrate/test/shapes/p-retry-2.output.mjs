import { retry } from '@ebb/core';

/** Errors after which nothing is called again. */
const stopped = new WeakSet();
const stop = (reason) => {
	const error = reason instanceof Error ? reason : new Error(reason === undefined ? 'Aborted' : String(reason));
	stopped.add(error);
	return error;
};
const unlessStopped = (settled) =>
	settled.type === 'error' && stopped.has(settled.error) ? 'final' : undefined;

/** The defaults of p-retry: after any error but a mistake in the program the function is called again. */
const likePRetry = {
	maxRetries: 10,
	backoff: ({ retry }) => 1000 * 2 ** (retry - 1),
	feedback: false,
	classify: (outcome) => {
		if (outcome.type === 'response') return outcome.status === 0 ? 'success' : 'transient';
		return outcome.kind === 'unknown' && outcome.error instanceof TypeError ? 'final' : 'transient';
	},
};

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
