import ky from 'ky';

export const data = async () => {
  const json = await ky.get('https://api.example.com/data', { retry: 5 }).json();
  return json;
};
