/** Sends a request with each client, and prints the lines. */
export async function run(...clients) {
  for (const { send } of clients) {
    for (const line of await send(globalThis.upstreamUrl)) console.log(line);
  }
}
