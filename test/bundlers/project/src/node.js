import * as axios from './axios.js';
import * as fetch from './fetch.js';
import { run } from './run.js';
import * as undici from './undici.js';

run(fetch, axios, undici);
