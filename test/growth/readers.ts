/** Reads a body part by part, and passes the parts on: the time for a part does not depend on those before it. */
const PARTS = 'it passes the parts of a body on, and takes none apart';

/** The time for that is the length of the value. */
const LOOKS = 'it looks one header up, and compares it or matches its beginning';

/** Its author can block the program in other ways. */
const OWN = 'the program itself has written what it reads: a request, an option, an argument';

/** No length comes into it. */
const CONSTANT = 'it takes a constant apart, or a text of a few characters';

/**
 * The files that read what others have written, and for each either the rows of readings.ts in which the instructions of
 * that are counted, or the reason why it has none.
 */
export const READERS: Readonly<Record<string, readonly string[] | string>> = {
  'axios/request-body.ts': PARTS,
  'axios/outcome.ts': ['many headers'],
  'axios/platform/node.ts': 'it matches the beginning of a message',
  'compat/axios-error.ts': 'a header is passed on as it is',
  'compat/fetch-retry.ts': 'a header is passed on as it is',
  'compat/network-error.ts': 'the message of an error is compared with fixed texts',
  'core/bodies/keep.ts': PARTS,
  'core/http/body.ts': 'it waits for the end of an upload, and reads no part',
  'fetch/deduplicate.ts': PARTS,
  'core/bodies/body-reader.ts': ['an error of OpenAI', 'an error of Google', 'the first event of a stream'],
  'core/bodies/peek.ts': PARTS,
  'core/bodies/streams.ts': PARTS,
  'core/bodies/watch.ts': LOOKS,
  'core/bodies/watched-response.ts': LOOKS,
  'core/http/headers.ts': ['many headers', 'every header of a 429'],
  'core/http/classify.ts': OWN,
  'resume/download.ts': ['the range of a download'],
  'resume/event-stream.ts': ['an event stream that is resumed', 'an unfinished event that is resumed'],
  'core/http/failure.ts': ['the message of a failure'],
  'core/retry/browser-errors.ts': 'the message of an error is compared with fixed texts',
  'core/platform/node.ts': ['the message of a failure'],
  'core/http/outcome.ts': 'it passes the lookup of headers on',
  'core/http/quota-fields.ts': ['every header of a 200', 'a reset', 'the RateLimit list'],
  'core/http/feedback.ts': ['Retry-After', 'a date'],
  'core/http/server-feedback.ts': ['every header of a 429'],
  'core/call/decide.ts': OWN,
  'core/call/header-changes.ts': OWN,
  'core/nested/nested-retries.ts': OWN,
  'core/events/report-fields.ts': OWN,
  'core/policy/hooks.ts': OWN,
  'providers/cost/streams.ts': ['an event stream that is counted', 'lines of JSON that are counted'],
  'providers/cost/cost-from-response.ts': LOOKS,
  'providers/anthropic.ts': ['an error of Anthropic'],
  'providers/aws.ts': ['an error of AWS'],
  'providers/body.ts': ['an error of OpenAI', 'every header of a 429'],
  'providers/github.ts': ['an error of GitHub'],
  'providers/google.ts': ['an error of Google'],
  'providers/graphql.ts': ['a document of GraphQL'],
  'providers/openai.ts': ['an error of OpenAI'],
  'providers/shopify.ts': ['an error of Shopify'],
  'providers/slack.ts': ['an error of Slack'],
  'providers/stripe.ts': LOOKS,
  'fetch/attempt.ts': ['many headers'],
  'resume/fetch/resumed-body.ts': PARTS,
  'resume/fetch.ts': LOOKS,
  'fetch/upload.ts': PARTS,
  'opentelemetry/http-attributes.ts': CONSTANT,
  'opentelemetry/propagate.ts': OWN,
  'simulator/cli/agreement.ts': ['the figures of the article, in CSV'],
  'simulator/cli/arguments.ts': OWN,
  'simulator/cli/recorded-grid.ts': 'it reads the runs of the repository itself',
  'simulator/cli/scenario-file.ts': [
    'a scenario that is no JSON',
    'the title of a scenario',
    'a wrong value of a scenario',
    'a field that no scenario has',
    'the policies of a scenario',
    'the troubles of a server of a scenario',
  ],
  'simulator/race/agreement.ts': ['the figures of the article, in CSV'],
  'simulator/scenario/check.ts': CONSTANT,
  'undici/headers.ts': ['many headers'],
  'undici/peek.ts': ['the codings of a body'],
  'undici/register-config.ts': ['a config, to see what kind of module it is'],
  'undici/register.ts': OWN,
  'undici/outcome.ts': ['many headers'],
  'valkey/bucket-store.ts': ['a number of a reply of the bucket', 'an error of the store'],
  'valkey/budget-store.ts': ['a reply of the budget'],
  'valkey/cli/arguments.ts': OWN,
  'valkey/cli/clients.ts': ['an error of the store'],
  'valkey/cli/run.ts': ['an error of the store'],
  'valkey/cli/watch.ts': OWN,
  'valkey/connection.ts': ['an error of the connection'],
  'valkey/fleet-tokens.ts': ['an error of the store'],
  'valkey/loss-reason.ts': ['an error of the store'],
  'valkey/operator-call.ts': ['an error of the store'],
  'valkey/script.ts': 'it runs in the store, and reads what a process of this package has written',
  'valkey/store-call.ts': [
    'the tokens that a lease was granted',
    'the tokens of 64 units that a lease was granted',
    'a number of a reply of the bucket',
    'the limits of a bucket',
  ],
  'valkey/store-client.ts': ['an error of a script'],
  'valkey/store-error.ts': ['an error of the store', 'a reply that the script cannot have sent'],
};
