import type { HeaderChanges } from '@ebb/core';
import type { InternalAxiosRequestConfig } from 'axios';

type Headers = InternalAxiosRequestConfig['headers'];

/** Headers of the same class, which may be another copy's, with these values. */
export function copyWith(headers: Headers, values: object | undefined): Headers {
  return Object.assign(Object.create(Object.getPrototypeOf(headers)), values);
}

/** A copy of the headers with the changes of an attempt. Adapters write into it too: the original stays as it is. */
export function changed(headers: Headers, changes: HeaderChanges): Headers {
  const copy = copyWith(headers, headers);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) copy.delete(name);
    else copy.set(name, value, true);
  }
  return copy;
}
