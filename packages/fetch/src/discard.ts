import { BODY_READERS, isNodeReadable, isWebReadable, MOST_DISCARDED_BYTES } from '@ebb/core/adapter';

/** Cancels the body of a response; reading it then fails with an error that says so. */
export function discard(response: Response, withinMs: number): void {
  const error = new Error(
    `the body of this ${response.status} was discarded for a retry, which was then not sent: ` +
      `only a body of up to ${MOST_DISCARDED_BYTES} bytes that arrives within ${Math.round(withinMs)} ms is kept`,
  );
  const { body } = response as { readonly body: unknown };
  const isWeb = isWebReadable(body);
  if (isWeb && !body.locked) body.cancel(error).catch(() => undefined);
  const members: PropertyDescriptorMap = {
    clone: {
      value: () => {
        throw error;
      },
    },
  };
  for (const name of BODY_READERS) {
    if (name in response) members[name] = { value: () => Promise.reject(error) };
  }
  if (isWeb)
    members.body = { get: () => new ReadableStream({ start: (controller) => controller.error(error) }) };
  Reflect.ownKeys(members).every((name) =>
    Reflect.defineProperty(response, name, members[name as string] ?? {}),
  );
  if (isNodeReadable(body)) {
    // An error without a listener would end the process.
    body.on('error', () => undefined);
    body.destroy?.(error);
  }
}
