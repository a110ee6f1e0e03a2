export {
  type AnthropicLimitsOptions,
  anthropic,
  anthropicIsLast,
  anthropicLimits,
} from './anthropic.ts';
export { aws } from './aws.ts';
export { type AwsStandardOptions, awsStandard } from './aws-standard/aws-standard.ts';
export { type AwsRetryQuota, awsRetryQuota } from './aws-standard/retry-quota.ts';
export { azure } from './azure.ts';
export { cloudflare } from './cloudflare.ts';
export { type CostFromResponseOptions, costFromResponse } from './cost/cost-from-response.ts';
export { type EstimatedCost, type EstimatedCostOptions, estimatedCost } from './cost/estimated-cost.ts';
export type { CostOfResponse } from './cost/tally.ts';
export { type GithubLimitsOptions, github, githubLimits } from './github.ts';
export { google, googleIsLast } from './google.ts';
export { type OpenaiLimitsOptions, openai, openaiIsLast, openaiLimits } from './openai.ts';
export type { PresetOptions, ProviderLimits } from './options.ts';
export { type ShopifyLimitsOptions, shopify, shopifyLimits } from './shopify.ts';
export { slack } from './slack.ts';
export { stripe } from './stripe.ts';
