/** A program that misspells an option in each place that takes those of a policy. */
export const MISSPELT = `import axios from 'axios';
import { createPolicy, retry } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';

createPolicy({ maxRetires: 1 });
retry(async () => 1, { maxRetires: 1 });
createFetch({ maxRetires: 1 });
createFetch()('http://upstream', { ebb: { maxRetires: 1 } });
ebbAxios({ maxRetires: 1 });
axios.get('http://upstream', { ebb: { maxRetires: 1 } });
ebbUndici({ maxRetires: 1 });
`;

/** How many places that are. */
export const PLACES = 7;
