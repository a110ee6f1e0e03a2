import * as axios from './axios.js';
import * as fetch from './fetch.js';
import { run } from './run.js';

run(fetch, axios);
