import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { type AttemptResult, retry, type Verdict } from '@ebb/core';
import { aws } from '@ebb/providers';
import { isThrottlingError, isTransientError } from '@smithy/core/retry';
import { ok, type Sdk } from '../sdk.ts';

/** The SDK's own view of an error: the code decides, not the status. */
const judge = (settled: AttemptResult<unknown>): Verdict | undefined => {
  if (settled.type === 'value') return undefined;
  const error = settled.error as Parameters<typeof isThrottlingError>[0];
  return isThrottlingError(error) ? 'refused' : isTransientError(error) ? 'transient' : 'final';
};

const error = (type: string): string =>
  JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'no' });

export const awsSdk: Sdk = {
  name: '@aws-sdk/client-dynamodb',
  presetName: 'aws()',
  preset: aws,
  client({ url, ebb, timeoutMs }) {
    const client = new DynamoDBClient({
      endpoint: url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 's' },
      ...(timeoutMs === undefined
        ? {}
        : { requestHandler: { requestTimeout: timeoutMs, throwOnRequestTimeout: true } }),
      ...(ebb === undefined ? {} : { maxAttempts: 1 }),
    });
    const command = new PutItemCommand({ TableName: 't', Item: { id: { S: '1' } } });
    return {
      send: (caller) =>
        ebb === undefined
          ? client.send(command)
          : retry(({ signal }) => client.send(command, { abortSignal: signal }), ebb.policy, {
              judge,
              signal: caller,
            }),
    };
  },
  error: (status) => error(status === 429 ? 'ThrottlingException' : 'InternalServerError'),
  good: ok({}),
  hasTimeout: true,
  takesSignal: true,
  rows: [
    {
      name: '400, `ProvisionedThroughputExceededException`',
      answer: { status: 400, body: error('ProvisionedThroughputExceededException') },
      wanted: 'again',
    },
    {
      name: '429, `x-amz-retry-after: 1500`',
      answer: { status: 429, headers: { 'x-amz-retry-after': '1500' }, body: error('ThrottlingException') },
      askedMs: 1_500,
      wanted: 'again',
    },
    {
      name: '400, `ConditionalCheckFailedException`',
      answer: { status: 400, body: error('ConditionalCheckFailedException') },
      wanted: 'once',
    },
  ],
};
