import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { likeAxiosRetry } from '@ebb/compat';
import { useEffect, useState } from 'react';

axios.interceptors.request.use(ebbInterceptor(likeAxiosRetry({ retryDelay: likeAxiosRetry.exponentialDelay })));

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
