/** Tells of responses that were let go of without being read, once they are collected. */
const abandoned = /* @__PURE__ */ new FinalizationRegistry((ended: () => void) => ended());

/** What a response tells of itself that a new one cannot be given. */
const OWN = ['url', 'redirected', 'type'] as const;

function withOwn(copy: Response, response: Response): Response {
  for (const name of OWN) Object.defineProperty(copy, name, { value: response[name] });
  const clone = (): Response => withOwn(Response.prototype.clone.call(copy), response);
  return Object.defineProperty(copy, 'clone', { value: clone });
}

/**
 * The response with a body that calls `ended` when it has ended, failed, or been cancelled, or when nobody can
 * read it any more. Nothing but a stream of our own tells of these, and only a new response can hold one.
 */
export function whenBodyEnds(response: Response, ended: () => void): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    ended();
    return response;
  }
  const body = new ReadableStream({
    type: 'bytes',
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        ended();
        controller.close();
        controller.byobRequest?.respond(0);
      } catch (error) {
        ended();
        throw error;
      }
    },
    cancel(reason) {
      ended();
      return reader.cancel(reason);
    },
  });
  const { status, statusText, headers } = response;
  const copy = withOwn(new Response(body, { status, statusText, headers }), response);
  abandoned.register(copy, ended);
  return copy;
}
