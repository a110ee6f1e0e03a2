import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { constant, type PolicyOptions } from '@ebb/core';
import { useEffect, useState } from 'react';

// likeAxiosRetry c342

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
