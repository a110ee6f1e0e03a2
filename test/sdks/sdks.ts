import { aiSdk } from './clients/ai.ts';
import { anthropicSdk } from './clients/anthropic.ts';
import { awsSdk } from './clients/aws.ts';
import { cloudflareSdk } from './clients/cloudflare.ts';
import { genaiSdk } from './clients/genai.ts';
import { langchainSdk } from './clients/langchain.ts';
import { octokitSdk } from './clients/octokit.ts';
import { openaiSdk } from './clients/openai.ts';
import { shopifySdk } from './clients/shopify.ts';
import { slackSdk } from './clients/slack.ts';
import { stripeSdk } from './clients/stripe.ts';
import type { Sdk } from './sdk.ts';

/** In the order of the page. */
export const SDKS: readonly Sdk[] = [
  openaiSdk,
  anthropicSdk,
  aiSdk,
  langchainSdk,
  genaiSdk,
  cloudflareSdk,
  stripeSdk,
  octokitSdk,
  slackSdk,
  shopifySdk,
  awsSdk,
];
