import ky, { HTTPError, type KyInstance } from 'ky';

export class Agent {
  private readonly client: KyInstance;

  constructor() {
    this.client = ky.create({
      retry: {
        limit: 2,
        delay: (attemptCount) => attemptCount * 500,
        shouldRetry: ({ error }) => error instanceof HTTPError && error.response.status === 404,
      },
      hooks: {
        beforeRetry: [
          async ({ request, retryCount }) => {
            request.headers.set('x-retry', String(retryCount));
          },
        ],
      },
    });
  }

  profile(): Promise<string> {
    return this.client.get('https://api.example.com/profile').text();
  }
}
