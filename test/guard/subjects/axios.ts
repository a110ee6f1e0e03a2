import { ebbInterceptor } from '@ebb/axios';
import { createPolicy, type Policy } from '@ebb/core';
import axios, { type AxiosInstance, type InternalAxiosRequestConfig } from 'axios';
import { allLimits, inTurn, mixed, type Send, type Subject, type Subjects, url } from './subject.ts';

function stubbed(): AxiosInstance {
  const adapter = async (config: InternalAxiosRequestConfig) => {
    return { status: 200, statusText: 'OK', headers: {}, data: '', config };
  };
  return axios.create({ adapter });
}

function overStub(policy: Policy, synchronous: boolean): Subject {
  const bare = stubbed();
  const ebb = stubbed();
  ebb.interceptors.request.use(ebbInterceptor(policy), null, { synchronous });
  return { bare: () => bare.get(url), ebb: () => ebb.get(url) };
}

function instanceOf(policy?: Policy): Send {
  const instance = stubbed();
  if (policy !== undefined) instance.interceptors.request.use(ebbInterceptor(policy));
  return () => instance.get(url);
}

export const subjects: Subjects = {
  axios: () => overStub(createPolicy(), false),
  'axios, ten clients': () => inTurn(instanceOf),
  'axios, ten clients, five with limits': () => mixed(instanceOf),
  'axios, synchronous': () => overStub(createPolicy(), true),
  'axios, all limits': () => overStub(allLimits(), false),
};
