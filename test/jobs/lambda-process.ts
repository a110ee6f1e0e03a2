// A process of the function: invokes it several times, one after the other, and prints the results.
import { handler } from '../../examples/lambda/handler.ts';

const [count = 1, remainingMs = 30_000] = process.argv.slice(2).map(Number);
const results: Awaited<ReturnType<typeof handler>>[] = [];
for (let invocation = 0; invocation < count; invocation += 1) {
  results.push(await handler({ path: '' }, { getRemainingTimeInMillis: () => remainingMs }));
}
console.log(JSON.stringify(results));
process.exit();
