import pLimit from 'p-limit';
import { retry } from '@ebb/core';

// stopped 1ecb

// likePRetry a2f2

const limit = pLimit(5);

const fetchOne = async (id) => {
  try {
    const res = await fetch(`https://api.example.com/items/${id}`);
    if (res.status === 400) throw stop(new RangeError(`no item ${id}`));
    if (!res.ok) throw new Error(res.statusText);
    return await res.json();
  } catch (error) {
    if (stopped.has(error)) console.error('not again', error.message);
    throw error;
  }
};

export const fetchAll = (ids) => Promise.all(ids.map((id) => limit(() => retry(() => fetchOne(id), { ...likePRetry, maxRetries: 2 }, { judge: unlessStopped }))));
