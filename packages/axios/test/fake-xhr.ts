/** The part of a browser's XMLHttpRequest that axios uses, over fetch. */
export class FakeXhr {
  /** Sends its requests. */
  static fetch: typeof fetch = (input, init) => fetch(input, init);
  /** Ends the last request with a timeout. */
  static timeOut: () => void = () => undefined;
  status = 0;
  statusText = '';
  responseURL = '';
  responseText = '';
  timeout = 0;
  responseType = '';
  upload = undefined;
  onloadend: (() => void) | null = null;
  onerror: ((event: object) => void) | null = null;
  ontimeout: (() => void) | null = null;
  onabort: (() => void) | null = null;
  readonly #headers = new Headers();
  readonly #stop = new AbortController();
  #responseHeaders = new Headers();
  #request = ['', ''] as [method: string, url: string];

  open(method: string, url: string): void {
    this.#request = [method, url];
  }
  setRequestHeader(name: string, value: string): void {
    // A browser sets these itself.
    if (!/^(user-agent|content-length)$/i.test(name)) this.#headers.append(name, value);
  }
  getAllResponseHeaders(): string {
    return [...this.#responseHeaders].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  }
  abort(): void {
    this.#stop.abort();
  }
  send(body: BodyInit | null): void {
    void this.#send(body);
  }

  async #send(body: BodyInit | null): Promise<void> {
    if (this.timeout > 0) FakeXhr.timeOut = () => this.#stop.abort('timeout');
    const { signal } = this.#stop;
    try {
      const [method, url] = this.#request;
      const response = await FakeXhr.fetch(url, { method, body, headers: this.#headers, signal });
      this.responseText = await response.text();
      this.#responseHeaders = response.headers;
      this.status = response.status;
      this.responseURL = response.url;
      this.onloadend?.();
    } catch {
      if (!signal.aborted) this.onerror?.({ type: 'error' });
      else if (signal.reason === 'timeout') this.ontimeout?.();
      else this.onabort?.();
    }
  }
}
