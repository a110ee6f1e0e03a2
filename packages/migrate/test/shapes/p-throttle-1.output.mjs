import { createPolicy, retry, tokenBucket } from '@ebb/core';

const throttle = createPolicy({ maxRetries: 0, feedback: false, bucket: tokenBucket({ capacity: 2, refillPerSecond: 2, refillIntervalMs: 1000 }) });

const getPage = (index) => retry(async () => {
	const response = await fetch(`https://api.example.com/?page=${index}`);
	return response.status;
}, throttle);

export const pages = () => Promise.all([1, 2, 3, 4, 5].map((index) => getPage(index)));
