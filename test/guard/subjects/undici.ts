import { createPolicy, type Policy } from '@ebb/core';
import { hedged } from '@ebb/hedge/undici';
import { ebbInterceptor } from '@ebb/undici';
import type { Dispatcher } from 'undici';
import {
  allLimits,
  everyThirdSucceeds,
  inTurn,
  mixed,
  type Send,
  type Subject,
  type Subjects,
  withShortWaits,
} from './subject.ts';

type Dispatch = (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => boolean;

const options = { origin: 'http://upstream.test', path: '/', method: 'GET' } as const;
const controller = { paused: false, aborted: false, reason: null, pause() {}, resume() {}, abort() {} };

function stubDispatch(status: () => number): Dispatch {
  return (_, handler) => {
    handler.onRequestStart?.(controller as never, undefined);
    handler.onResponseStart?.(controller as never, status(), {}, '');
    handler.onResponseEnd?.(controller as never, {});
    return true;
  };
}

class Downstream implements Dispatcher.DispatchHandler {
  readonly #onEnd: ((status: number) => void) | undefined;
  #status = 0;

  constructor(onEnd?: (status: number) => void) {
    this.#onEnd = onEnd;
  }

  onRequestStart(): void {}
  onResponseStart(_: unknown, status: number): void {
    this.#status = status;
  }
  onResponseData(): void {}
  onResponseEnd(): void {
    this.#onEnd?.(this.#status);
  }
  onResponseError(): void {}
}

function responding(policy: Policy): Subject {
  const base = stubDispatch(() => 200);
  const ebb = ebbInterceptor(policy)(base);
  return { bare: () => base(options, new Downstream()), ebb: () => ebb(options, new Downstream()) };
}

/** Over a dispatch of its own. */
function stubbed(policy?: Policy): Send {
  const base = stubDispatch(() => 200);
  const dispatch = policy === undefined ? base : ebbInterceptor(policy)(base);
  return () => dispatch(options, new Downstream());
}

/** Requests are fast and not hedged. */
function hedging(): Subject {
  const policy = createPolicy();
  const base = stubDispatch(() => 200);
  const ebb = ebbInterceptor(policy)(hedged({ policy })(base));
  return { bare: () => base(options, new Downstream()), ebb: () => ebb(options, new Downstream()) };
}

/** Against the loop that a user would write. */
function failing(): Subject {
  const base = stubDispatch(everyThirdSucceeds());
  const bare = (): Promise<void> =>
    new Promise((resolve) => {
      const send = (): boolean => base(options, new Downstream(end));
      const end = (status: number): void => {
        if (status === 503) setImmediate(send);
        else resolve();
      };
      send();
    });
  const dispatch = ebbInterceptor(withShortWaits())(stubDispatch(everyThirdSucceeds()));
  const ebb = (): Promise<void> =>
    new Promise((resolve) => {
      dispatch(options, new Downstream(() => resolve()));
    });
  return { bare, ebb };
}

export const subjects: Subjects = {
  undici: () => responding(createPolicy()),
  'undici, ten clients': () => inTurn(stubbed),
  'undici, ten clients, five with limits': () => mixed(stubbed),
  'undici, all limits': () => responding(allLimits()),
  'undici, hedge': hedging,
  'undici, 503 503 200': failing,
};
