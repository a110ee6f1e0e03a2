export {
  type IdempotencyAnswersOptions,
  idempotencyAnswers,
} from './plugins/idempotency/idempotency-answers.ts';
export { mayHaveSucceeded } from './plugins/idempotency/may-have-succeeded.ts';
