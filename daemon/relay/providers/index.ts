/**
 * Every vendor that a channel can name, one line each. An adapter is data and pure functions; what a vendor does
 * differently stands in its folder and nowhere else.
 */
import type { ProviderAdapter } from '../provider.ts';
import { custom } from './custom/index.ts';
import { deepseek } from './deepseek/index.ts';
import { lingyiwanwu } from './lingyiwanwu/index.ts';
import { mistral } from './mistral/index.ts';
import { moonshot } from './moonshot/index.ts';
import { openai } from './openai/index.ts';
import { openrouter } from './openrouter/index.ts';
import { siliconflow } from './siliconflow/index.ts';
import { xai } from './xai/index.ts';
import { xinference } from './xinference/index.ts';

export const providers: readonly ProviderAdapter[] = [
  openai,
  custom,
  openrouter,
  moonshot,
  lingyiwanwu,
  siliconflow,
  mistral,
  deepseek,
  xinference,
  xai,
];

const byType: ReadonlyMap<number, ProviderAdapter> = new Map(providers.map((entry) => [entry.channelType, entry]));

/** The adapter of a channel type; undefined for types that nobody serves. */
export function providerOf(channelType: number): ProviderAdapter | undefined {
  return byType.get(channelType);
}
