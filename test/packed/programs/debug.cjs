// Both copies of ebb, required and imported, send a request that fails once. What NODE_DEBUG=ebb prints of it goes to stderr.
const clients = async () => [require('@ebb/fetch'), await import('@ebb/fetch')];

clients().then(async (copies) => {
  for (const { createFetch } of copies) {
    let sends = 0;
    const service = async () => {
      sends += 1;
      return new Response('', { status: sends === 1 ? 503 : 200 });
    };
    await createFetch({ backoff: () => 0 }, service)('http://upstream.test/things?key=SECRET');
  }
});
