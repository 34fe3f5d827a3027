/** The form of a channel: what its type asks for, in the words of `channel create` and `channel edit`. */
import { findChannelType, parseChannelType } from '../../daemon/contract/channel-types.ts';
import type { ChannelView } from '../../daemon/contract/channels.ts';
import { channelFields, clearedFields } from '../commands/channel-fields.ts';
import { type Bilingual, both } from '../language.ts';
import type { Desk } from './desk.ts';
import { changedWords, commandWith, type FormField, RecordForm, type Words } from './record-form.ts';

/** Fields of the form, by the names of their flags. */
const flagNames = {
  name: '--name',
  type: '--type',
  key: '--key',
  baseUrl: '--base-url',
  models: '--models',
  group: '--group',
  priority: '--priority',
  weight: '--weight',
  tag: '--tag',
  prefix: '--prefix',
  other: '--other',
  testModel: '--test-model',
  organization: '--organization',
  mapping: '--mapping',
} as const;
type FieldName = keyof typeof flagNames;

const clearable: ReadonlySet<FieldName> = new Set([
  'baseUrl',
  'tag',
  'prefix',
  'other',
  'testModel',
  'organization',
  'mapping',
]);

/**
 * @param row the channel to be changed; undefined for a new one
 * @param onEnd told of the channel that was saved; undefined for none
 */
export function channelForm(
  desk: Desk,
  row: ChannelView | undefined,
  onEnd: (id: number | undefined) => void,
): RecordForm<FieldName> {
  const fields = fieldsOf(row);
  const isNew = row === undefined;
  const changed = (words: Words<FieldName>) => changedWords(words, fields, isNew);
  let saved: number | undefined;
  return new RecordForm<FieldName>({
    desk,
    title: isNew
      ? both('New channel', '新建渠道')
      : both(`Channel ${row.id} ${row.name}`, `渠道 ${row.id} ${row.name}`),
    fields,
    command: (words) =>
      commandWith(
        isNew ? 'tollgate channel create' : `tollgate channel edit ${row.id}`,
        // The key is not for others to read.
        changed(words).map((field) => (field.name === 'key' ? { ...field, word: 'env:KEY' } : field)),
        flagNames,
      ),
    save: async (words) => {
      const given = changed(words);
      const emptied = isNew ? [] : given.filter(({ name, word }) => word === '' && clearable.has(name));
      const flags = Object.fromEntries(given.map(({ name, word }) => [name, word]));
      // Models are fetched with the type and address that the channel has already.
      const input = {
        ...(await channelFields(desk.context, flags)),
        ...clearedFields(emptied.map(({ name }) => name)),
      };
      const { channels } = desk.client;
      if (row !== undefined) {
        const updated = await channels.update({ id: row.id, ...input });
        saved = row.id;
        return both(`channel ${updated.name} is changed`, `已修改渠道 ${updated.name}`);
      }
      const created = await channels.create({ group: 'default', ...input });
      const { id, name } = 'items' in created ? (created.items[0] ?? { id: 0, name: '' }) : created;
      saved = id;
      return both(`channel ${name} has id ${id}; t tests it`, `已添加渠道 ${name}，编号 ${id}；按 t 测试`);
    },
    onEnd: () => onEnd(saved),
  });
}

function fieldsOf(row: ChannelView | undefined): readonly FormField<FieldName>[] {
  const type = (words: Words<FieldName>) => parseChannelType(words('type'));
  const common: readonly FormField<FieldName>[] = [
    { name: 'name', label: both('Name', '名称'), hint: both('for yourself', '便于识别'), text: row?.name ?? '' },
    {
      name: 'type',
      label: both('Type', '类型'),
      hint: (words) => {
        const known = type(words);
        return known === undefined ? both('openai, anthropic, …', 'openai、anthropic 等') : known.label;
      },
      text: row === undefined ? 'openai' : (findChannelType(row.type)?.name ?? String(row.type)),
    },
  ];
  const key: FormField<FieldName> = {
    name: 'key',
    label: both('Key', '密钥'),
    hint: (words) => {
      const form = type(words)?.keyFormat;
      return form === undefined ? both('or env:NAME, @file', '或 env:NAME、@文件') : both(form, form);
    },
    isSecret: true,
    lineBreak: '\n',
  };
  const text = (
    name: FieldName,
    label: Bilingual,
    hint: FormField<FieldName>['hint'],
    value?: string | number | null,
  ) => ({
    name,
    label,
    hint,
    text: value === undefined || value === null ? '' : String(value),
  });
  return [
    ...common,
    // Keys there are have a page of their own.
    ...(row === undefined ? [key] : []),
    text('baseUrl', both('Address', '地址'), both('empty: that of the type', '留空使用类型默认值'), row?.base_url),
    {
      ...text(
        'models',
        both('Models', '模型'),
        row === undefined ? both('a,b or fetch', 'a,b 或 fetch') : both('a,b', 'a,b'),
        row?.models,
      ),
      lineBreak: ',',
    },
    { ...text('group', both('Groups', '分组'), both('a,b', 'a,b'), row?.group ?? 'default'), lineBreak: ',' },
    text('priority', both('Priority', '优先级'), both('higher is tried first', '越大越先'), row?.priority ?? 0),
    text('weight', both('Weight', '权重'), both('share within a priority', '同优先级内的权重'), row?.weight ?? 0),
    text('tag', both('Tag', '标签'), both('', ''), row?.tag),
    text('prefix', both('Prefix', '前缀'), both('before model names', '模型名前缀'), row?.model_prefix),
    text('other', both('Other', '其他'), (words) => otherHint(words('type')), row?.other),
    text('testModel', both('Test model', '测试模型'), both('empty: the first', '留空为第一个'), row?.test_model),
    text('organization', both('Organisation', '组织'), both('of OpenAI', 'OpenAI 组织'), row?.openai_organization),
    text('mapping', both('Mapping', '模型映射'), both('JSON or @file', 'JSON 或 @文件'), row?.model_mapping),
  ];
}

/** What the field `other` holds for a type. */
function otherHint(type: string): Bilingual {
  const known = parseChannelType(type);
  if (known?.other === 'region') return both('region, or JSON with default', '区域，或含 default 的 JSON');
  const usual = known?.defaultOther;
  return usual === undefined ? both('version, region, …', '版本、区域等') : both(`empty: ${usual}`, `留空为 ${usual}`);
}
