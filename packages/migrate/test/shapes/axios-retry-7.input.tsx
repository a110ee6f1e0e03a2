import axios from 'axios';
import axiosRetry from 'axios-retry';
import { useEffect, useState } from 'react';

axiosRetry(axios, { retryDelay: axiosRetry.exponentialDelay });

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
