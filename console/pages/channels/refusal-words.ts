/** What the daemon refused of a channel, in the words of the editor. */
import i18next from 'i18next';
import { ApiError } from '../../../daemon/contract/api-error.ts';
import { channelSettings } from '../../../daemon/contract/channel-settings.ts';
import { currentLanguage } from '../../i18n/index.ts';
import type { ChannelDraft } from './channel-draft.ts';
import { inLabels } from './override-labels.ts';
import { readOverride } from './override-rows.ts';
import { specialFieldsOf } from './special-fields.ts';

/** The labels of members that the editor has one field for, as keys of its texts. */
const memberLabels = {
  model_mapping: 'field.mapping',
  status_code_mapping: 'field.statusCodes',
  param_override: 'field.override',
  setting: 'field.setting',
  openai_organization: 'field.organization',
} as const;

/** The refusal with the labels of the form where it names members of the contract. */
export async function inFormWords(error: ApiError, draft: ChannelDraft): Promise<ApiError> {
  const { code, status, requestId, retryAfter, field = '', data } = error;
  const message = await wordsOf(error.message, field, draft);
  return new ApiError({ code, message, status, requestId, retryAfter, field, data, cause: error });
}

async function wordsOf(text: string, field: string, { type, param_override }: ChannelDraft): Promise<string> {
  const t = i18next.getFixedT(null, 'channel-editor');
  const { other } = specialFieldsOf(type);
  if (other !== undefined && /^other(?:\.|$)/.test(field)) {
    return text.replace(/^other/, () => t(`other.${other.label}`));
  }
  await i18next.loadNamespaces('override');
  const rows = readOverride(param_override)?.rows ?? [];
  const shown = inLabels(text, field, rows, i18next.getFixedT(null, 'override'));
  if (shown !== text) return shown;
  const [member = '', ...rest] = field.split('.');
  const setting = member === 'setting' && channelSettings.find(({ key }) => key === rest[0]);
  if (setting) return text.replace(setting.key, (key) => `${setting.label[currentLanguage()]} (${key})`);
  const label = Object.entries(memberLabels).find(([name]) => name === member)?.[1];
  if (label === undefined || !text.startsWith(member)) return text;
  const place = rest.length > 0 && text.startsWith(field) ? ` · ${rest.join('.')}` : '';
  return `${t(label)}${place}${text.slice(place === '' ? member.length : field.length)}`;
}
