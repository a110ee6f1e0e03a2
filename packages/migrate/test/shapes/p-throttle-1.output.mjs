import { likePThrottle } from '@ebb/compat';

const throttle = likePThrottle({
	limit: 2,
	interval: 1000,
});

const getPage = throttle(async (index) => {
	const response = await fetch(`https://api.example.com/?page=${index}`);
	return response.status;
});

export const pages = () => Promise.all([1, 2, 3, 4, 5].map((index) => getPage(index)));
