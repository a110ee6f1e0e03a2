export { anthropic } from './presets/anthropic.ts';
export { aws } from './presets/aws.ts';
export { azure } from './presets/azure.ts';
export { cloudflare } from './presets/cloudflare.ts';
export { github } from './presets/github.ts';
export { google } from './presets/google.ts';
export { openai } from './presets/openai.ts';
export type { PresetOptions } from './presets/preset-options.ts';
export { shopify } from './presets/shopify.ts';
export { slack } from './presets/slack.ts';
export { stripe } from './presets/stripe.ts';
//# sourceMappingURL=presets.d.ts.map