export {
  type AnthropicLimitsOptions,
  anthropic,
  anthropicIsLast,
  anthropicLimits,
} from './presets/anthropic.ts';
export { aws } from './presets/aws.ts';
export { azure } from './presets/azure.ts';
export { cloudflare } from './presets/cloudflare.ts';
export { type GithubLimitsOptions, github, githubLimits } from './presets/github.ts';
export { google, googleIsLast } from './presets/google.ts';
export { type OpenaiLimitsOptions, openai, openaiIsLast, openaiLimits } from './presets/openai.ts';
export type { PresetOptions, ProviderLimits } from './presets/options.ts';
export { type ShopifyLimitsOptions, shopify, shopifyLimits } from './presets/shopify.ts';
export { slack } from './presets/slack.ts';
export { stripe } from './presets/stripe.ts';
