import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { constant, type PolicyOptions } from '@ebb/core';
import { useEffect, useState } from 'react';

/** The defaults of axios-retry. */
const likeAxiosRetry: PolicyOptions = {
  maxRetries: 3,
  backoff: constant(0),
  methods: 'all',
  classify: (outcome, { method }) => {
    const mayRepeat = /^(GET|HEAD|OPTIONS|PUT|DELETE)$/.test(method);
    if (outcome.type === 'failure') {
      if (outcome.kind === 'timeout' || outcome.kind === 'aborted') return 'final';
      return mayRepeat || outcome.kind !== 'unknown' ? 'transient' : 'final';
    }
    if (outcome.status < 300) return 'success';
    return mayRepeat && (outcome.status === 429 || outcome.status >= 500) ? 'transient' : 'final';
  },
};

axios.interceptors.request.use(ebbInterceptor({ ...likeAxiosRetry, backoff: ({ retry, random }) => 100 * 2 ** retry * (1 + random() / 5) }));

interface City {
  readonly name: string;
}

export function Weather({ city }: { city: string }) {
  const [info, setInfo] = useState<City>();
  useEffect(() => {
    axios.get<City>(`/api/weather/${city}`).then(({ data }) => setInfo(data));
  }, [city]);
  return <p className="weather">{info?.name ?? '…'}</p>;
}
