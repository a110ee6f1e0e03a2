'use client';

import { useEffect } from 'react';
import * as axios from '../src/axios.js';
import * as fetch from '../src/fetch.js';
import { run } from '../src/run.js';

export default function Page() {
  useEffect(() => void run(fetch, axios), []);
  return <p>Sends a request with each client.</p>;
}
