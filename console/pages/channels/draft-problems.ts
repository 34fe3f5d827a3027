/** What is wrong with a draft, by field: the keys of texts, so that it is tested without a page. */
import { settingProblem } from '../../../daemon/contract/channel-settings.ts';
import { isObjectText, parseObject } from '../../components/mapping-rows.ts';
import { type ChannelDraft, keyRulesOf } from './channel-draft.ts';
import { keyRows } from './key-list.ts';
import { specialFieldsOf } from './special-fields.ts';
import { isInteger, priorityProblem } from './whole-number.ts';

export type DraftProblem =
  | 'nameAndKey'
  | 'name'
  | 'address'
  | 'addressScheme'
  | 'knowledgeBase'
  | 'accountId'
  | 'region'
  | 'regionJson'
  | 'regionDefault'
  | 'models'
  | 'modelsList'
  | 'groups'
  | 'mapping'
  | 'statusCodes'
  | 'setting'
  | 'settingValue'
  | 'override'
  | 'priority'
  | 'priorityLow'
  | 'weight'
  | 'maxInput';

export type DraftField = keyof ChannelDraft;

export interface DraftFault {
  readonly field: DraftField;
  readonly problem: DraftProblem;
  /** What the text names. */
  readonly detail?: string;
}

/** @param saved the fields as they were loaded; undefined for a channel that is not saved yet */
export function draftFaults(draft: ChannelDraft, saved?: ChannelDraft): DraftFault[] {
  const faults: DraftFault[] = [];
  const add = (field: DraftField, problem: DraftProblem, detail?: string) =>
    faults.push({ field, problem, ...(detail === undefined ? {} : { detail }) });

  if (draft.name.trim() === '') add('name', saved ? 'name' : 'nameAndKey');
  if (!saved && draft.key.trim() === '') add('key', 'nameAndKey');
  checkAddress(draft, add);
  // What was stored before a rule was known goes on as it is until it is changed.
  const isNew = (field: DraftField) => draft[field] !== saved?.[field];
  if (isNew('other') || isNew('type')) checkOther(draft, saved, add);
  if (!Array.isArray(draft.models)) add('models', 'modelsList');
  else if (draft.models.length === 0) add('models', 'models');
  if (draft.groups.length === 0) add('groups', 'groups');
  if (isNew('model_mapping') && !isObjectText(draft.model_mapping)) add('model_mapping', 'mapping');
  if (isNew('status_code_mapping') && !isObjectText(draft.status_code_mapping)) {
    add('status_code_mapping', 'statusCodes');
  }
  if (isNew('param_override') && !isObjectText(draft.param_override)) add('param_override', 'override');
  if (isNew('setting')) checkSetting(draft, add);
  const priority = priorityProblem(draft.priority);
  if (priority !== undefined) add('priority', priority);
  if (!isInteger(draft.weight, 0)) add('weight', 'weight');
  if (!isInteger(draft.max_input_tokens, 0)) add('max_input_tokens', 'maxInput');
  return faults;
}

type Add = (field: DraftField, problem: DraftProblem, detail?: string) => void;

function checkAddress({ type, base_url }: ChannelDraft, add: Add): void {
  const address = base_url.trim();
  if (address === '') {
    if (specialFieldsOf(type).isAddressRequired) add('base_url', 'address');
  } else if (!/^https?:\/\/[^/\s]/i.test(address)) add('base_url', 'addressScheme');
}

function checkOther(draft: ChannelDraft, saved: ChannelDraft | undefined, add: Add): void {
  const field = specialFieldsOf(draft.type).other;
  if (field === undefined) return;
  const text = draft.other.trim();
  if (text === '') {
    if (field.isRequired && !isOtherElsewhere(draft, saved)) {
      if (field.label === 'knowledgeBase' || field.label === 'accountId' || field.label === 'region') {
        add('other', field.label);
      }
    }
    return;
  }
  if (field.template === undefined || !text.startsWith('{')) return;
  const regions = parseObject(text);
  if (regions === undefined) add('other', 'regionJson');
  else if (!Object.hasOwn(regions, 'default')) add('other', 'regionDefault');
}

/** An account may stand before each key instead; of saved keys nothing is known here. */
function isOtherElsewhere(draft: ChannelDraft, saved: ChannelDraft | undefined): boolean {
  if (specialFieldsOf(draft.type).other?.label !== 'accountId') return false;
  const keys = keyRows(draft.key, keyRulesOf(draft.type));
  if (keys.length > 0) return keys.every(({ text }) => text.includes('|'));
  return saved?.type === draft.type && saved.other.trim() === '';
}

function checkSetting({ setting }: ChannelDraft, add: Add): void {
  if (setting.trim() === '') return;
  const members = parseObject(setting);
  if (members === undefined) {
    add('setting', 'setting');
    return;
  }
  const problem = settingProblem(members);
  if (problem !== undefined) add('setting', 'settingValue', problem.key);
}
