// The worker with the object of durable-bucket.test.ts, which bundles it.
import { BucketObject, type ObjectContext } from '@ebb/workers';

interface Context extends ObjectContext {
  abort(reason: string): void;
}

/** An object that counts its calls, and fails as it is told. */
export class TestObject extends BucketObject {
  readonly #context: Context;
  #calls = 0;
  #behaviour = '';

  constructor(context: Context) {
    super(context);
    this.#context = context;
  }

  override async fetch(request: Request): Promise<Response> {
    const { hostname, pathname } = new URL(request.url);
    if (hostname === 'control') {
      if (pathname === '/restart') this.#context.abort('restarted');
      else if (pathname === '/kept') return Response.json(await this.#context.storage.get('ebb:bucket'));
      else if (pathname === '/alarm') await this.alarm();
      else if (pathname !== '/calls') this.#behaviour = pathname.slice(1);
      return Response.json(this.#calls);
    }
    this.#calls += 1;
    if (this.#behaviour === 'hang') await new Promise((resolve) => setTimeout(resolve, 60_000));
    if (this.#behaviour === 'throw') throw new Error('the object is broken');
    return super.fetch(request);
  }
}

interface Bindings {
  readonly BUCKET: { getByName(name: string): { fetch(request: string): Promise<Response> } };
}

export default {
  /** `/NAME/COMMAND` for an object. */
  async fetch(request: Request, { BUCKET }: Bindings): Promise<Response> {
    const [, name = '', command = ''] = new URL(request.url).pathname.split('/');
    try {
      return await BUCKET.getByName(name).fetch(`http://control/${command}`);
    } catch (error) {
      return new Response(String(error));
    }
  },
};
