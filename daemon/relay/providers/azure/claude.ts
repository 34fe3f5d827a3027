/** Claude models on Azure's resources: Anthropic's own dialect beside the others. Source: providers/azure.md, read 2026-11. */

import { type FailureRule, readFailure } from '../../failure.ts';
import type { FormatId } from '../../format.ts';
import { isResponsesOnly } from '../../formats/openai-responses/model-rules.ts';
import type { AuthScheme, FailedReply, UpstreamCall } from '../../provider.ts';
import { anthropicFailures } from '../anthropic/failures.ts';
import { modelHeaders } from '../anthropic/options.ts';
import { pathBeside } from '../openai-compatible.ts';

export const claudePath = '/anthropic/v1/messages';

/** A path below the resource, whose address the vendor shows with the beginning of an interface. */
export function onResource(baseUrl: string, path: string): string {
  return pathBeside(baseUrl, /\/(?:openai(?:\/v1)?|anthropic(?:\/v1)?|models)$/, path);
}

const claudeAuth: AuthScheme = { kind: 'header', name: 'x-api-key' };
/** A token of Microsoft Entra in the place of a key. */
export const azureKeyMarks = { entra: /^eyJ[\w-]+\./ };

/** How a call shows what the channel has; `usual` is for keys. */
export function azureAuth(call: Pick<UpstreamCall, 'settings' | 'format'>, usual: AuthScheme): AuthScheme {
  if (call.settings.entra !== undefined) return { kind: 'bearer' };
  return isClaude(call) ? claudeAuth : usual;
}

/** The version, and what an operator adds for the model. */
export function claudeHeaders(call: UpstreamCall): Record<string, string> {
  return { 'anthropic-version': '2023-06-01', ...modelHeaders(call) };
}

const claudeFormats: readonly FormatId[] = ['anthropic-messages'];

/** The formats of a deployment, by its name: Claude speaks its own and no other, some of OpenAI's models but one. */
export function formatsOf(model: string, others: readonly FormatId[]): readonly FormatId[] {
  if (/claude/i.test(model)) return claudeFormats;
  return isResponsesOnly(model) ? others.filter((format) => format !== 'openai-chat') : others;
}

/** True for calls in Anthropic's dialect. */
export function isClaude(call: Pick<UpstreamCall, 'format'>): boolean {
  return call.format === 'anthropic-messages';
}

/** Reads a refusal in the words of the dialect that was spoken. */
export function readAzureFailure(reply: FailedReply, provider: string, rules: readonly FailureRule[]) {
  return readFailure(reply, provider, isClaude(reply.call) ? [...rules, ...anthropicFailures] : rules);
}
