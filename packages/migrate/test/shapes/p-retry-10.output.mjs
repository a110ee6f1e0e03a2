import pLimit from 'p-limit';
import { AbortError, likePRetry } from '@ebb/compat';
import { retry } from '@ebb/core';

const limit = pLimit(5);

const fetchOne = async (id) => {
  try {
    const res = await fetch(`https://api.example.com/items/${id}`);
    if (res.status === 400) throw new AbortError(new RangeError(`no item ${id}`));
    if (!res.ok) throw new Error(res.statusText);
    return await res.json();
  } catch (error) {
    if (error instanceof AbortError) console.error('not again', error.message);
    throw error;
  }
};

export const fetchAll = (ids) => Promise.all(ids.map((id) => limit(() => retry(() => fetchOne(id), likePRetry({ retries: 2 })))));
