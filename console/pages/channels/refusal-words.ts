/** What the daemon refused of a channel, in the words of the editor. */
import i18next from 'i18next';
import { ApiError } from '../../../daemon/contract/api-error.ts';
import type { ChannelDraft } from './channel-draft.ts';
import { inLabels } from './override-labels.ts';
import { readOverride } from './override-rows.ts';
import { specialFieldsOf } from './special-fields.ts';

/** The refusal with the labels of the form where it names members of the contract. */
export async function inFormWords(error: ApiError, draft: ChannelDraft): Promise<ApiError> {
  const { code, status, requestId, retryAfter, field = '', data } = error;
  const message = await wordsOf(error.message, field, draft);
  return new ApiError({ code, message, status, requestId, retryAfter, field, data, cause: error });
}

async function wordsOf(text: string, field: string, { type, param_override }: ChannelDraft): Promise<string> {
  const { other } = specialFieldsOf(type);
  if (other !== undefined && /^other(?:\.|$)/.test(field)) {
    const label = i18next.getFixedT(null, 'channel-editor')(`other.${other.label}`);
    return text.replace(/^other/, () => label);
  }
  await i18next.loadNamespaces('override');
  return inLabels(text, field, readOverride(param_override)?.rows ?? [], i18next.getFixedT(null, 'override'));
}
