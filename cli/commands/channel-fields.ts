/** The flags that describe a channel, for `channel create` and `channel edit`. */
import type { Command } from 'commander';
import type { ChannelView } from '../../daemon/contract/channels.ts';
import type { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { collect, givenFor, listOf } from '../flags.ts';
import { splitList } from '../input/text.ts';
import { type Bilingual, both } from '../language.ts';
import { channelTypeOf } from './channel-reference.ts';

/** Adds the flags. */
export function withChannelFlags(command: Command, say: (text: Bilingual) => string): Command {
  return command
    .option('--name <name>', say(both('name', '名称')))
    .option(
      '--type <type>',
      say(both('name or number of the type; see channel types', '类型名称或编号，见 channel types')),
    )
    .option(
      '--key <secret>',
      say(
        both('key: env:NAME, @file or -; several lines are several keys', '密钥：env:NAME、@文件 或 -；多行即多个密钥'),
      ),
    )
    .option('--models <list>', say(both('comma list, @file, or fetch', '逗号分隔、@文件，或 fetch')), collect)
    .option('--group <list>', say(both('comma list of groups', '分组（逗号分隔）')), collect)
    .option('--base-url <url>', say(both('address; empty for the type’s own', '地址；留空使用类型默认值')))
    .option('--priority <n>', say(both('higher is tried first', '优先级，越大越先')))
    .option('--weight <n>', say(both('share within a priority', '同优先级内的权重')))
    .option('--tag <tag>', say(both('tag', '标签')))
    .option('--prefix <text>', say(both('put before model names', '模型名前缀')))
    .option('--mapping <json>', say(both('model mapping', '模型映射 JSON')))
    .option('--status-mapping <json>', say(both('status code mapping', '状态码映射 JSON')))
    .option('--override <json>', say(both('parameter override', '参数覆盖 JSON')))
    .option(
      '--setting <json>',
      say(both('channel settings; see help channel-settings', '渠道设置 JSON，见 help channel-settings')),
    )
    .option('--other <text>', say(both('what the type asks for: version, region, …', '类型所需信息：版本、区域等')))
    .option('--test-model <model>', say(both('model of the channel test', '测试模型')))
    .option('--organization <id>', say(both('OpenAI organisation', 'OpenAI 组织')))
    .option('--auto-ban', say(both('disable it automatically where its upstream refuses it', '上游拒绝时自动禁用')))
    .option('--no-auto-ban', say(both('never disable it automatically', '不自动禁用')));
}

const texts = {
  name: 'name',
  baseUrl: 'base_url',
  tag: 'tag',
  prefix: 'model_prefix',
  other: 'other',
  testModel: 'test_model',
  organization: 'openai_organization',
} as const;

const documents = {
  mapping: 'model_mapping',
  statusMapping: 'status_code_mapping',
  override: 'param_override',
  setting: 'setting',
} as const;

type TextField = (typeof texts)[keyof typeof texts] | (typeof documents)[keyof typeof documents];

/** Members of a channel, only those whose flag was given. */
export interface ChannelFields extends Partial<Record<TextField, string>> {
  type?: number;
  key?: string;
  models?: string;
  group?: string;
  priority?: number;
  weight?: number;
  auto_ban?: number;
}

/** Fields by the flag or wire name that `--unset` takes. Throws exit 3. */
export function clearedFields(wish: readonly string[]): Partial<Record<TextField, string>> {
  const byName: Readonly<Record<string, TextField>> = Object.fromEntries(
    Object.entries({ ...texts, ...documents }).flatMap(([flag, member]) => [
      [flag.toLowerCase(), member],
      [member.replaceAll('_', ''), member],
    ]),
  );
  const cleared: Partial<Record<TextField, string>> = {};
  for (const name of splitList(wish)) {
    const member = byName[name.toLowerCase().replace(/[-_]/g, '')];
    if (member === undefined || member === 'name') {
      const names = Object.keys({ ...texts, ...documents })
        .filter((flag) => flag !== 'name')
        .map(dashed)
        .join(', ');
      throw usageError(both(`${name} cannot be cleared; these can: ${names}`, `${name} 不能清空，可清空：${names}`), {
        field: '--unset',
      });
    }
    cleared[member] = '';
  }
  return cleared;
}

/** The command that would make a channel like this one, its key to be filled in. */
export async function createCommandOf(row: ChannelView): Promise<string> {
  const { findChannelType } = await import('../../daemon/contract/channel-types.ts');
  const words = ['tollgate channel create', `--name ${quoted(row.name)}`];
  words.push(`--type ${findChannelType(row.type)?.name ?? row.type}`, '--key env:KEY');
  words.push(`--models ${quoted(row.models)}`, `--group ${quoted(row.group)}`);
  for (const [flag, member] of Object.entries({ ...texts, ...documents })) {
    const value = row[member];
    if (member !== 'name' && typeof value === 'string' && value !== '')
      words.push(`--${dashed(flag)} ${quoted(value)}`);
  }
  for (const member of ['priority', 'weight'] as const) if (row[member] !== 0) words.push(`--${member} ${row[member]}`);
  if (row.auto_ban === 0) words.push('--no-auto-ban');
  if (row.status !== 1) words.push('--disabled');
  return words.join(' \\\n  ');
}

function dashed(flag: string): string {
  return flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** As a POSIX shell reads it back. */
function quoted(text: string): string {
  return /^[\w.,:/@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

async function modelsOf(context: CommandContext, wish: unknown, fields: ChannelFields): Promise<string> {
  if (givenFor(wish).join() !== 'fetch') return (await listOf(context, wish, '--models')).join(',');
  if (fields.type === undefined || fields.key === undefined) {
    throw usageError(both('--models fetch needs --type and --key', '--models fetch 需要 --type 与 --key'), {
      field: '--models',
    });
  }
  const client = await context.client();
  const names = await client.channels.fetchModelsDraft({
    type: fields.type,
    key: fields.key,
    base_url: fields.base_url ?? '',
  });
  context.note(
    context.say(both('{count} {count:model|models} fetched', '已获取 {count} 个模型', { count: names.length })),
  );
  return names.join(',');
}

/** Reads the flags. Throws exit 3 for what cannot be right. */
export async function channelFields(
  context: CommandContext,
  flags: Readonly<Record<string, unknown>>,
): Promise<ChannelFields> {
  const fields: ChannelFields = {};
  for (const [flag, member] of Object.entries(texts)) {
    const value = flags[flag];
    if (typeof value === 'string') fields[member] = value;
  }
  for (const [flag, member] of Object.entries(documents)) {
    const value = flags[flag];
    if (typeof value === 'string') fields[member] = await context.value(value, `--${dashed(flag)}`);
  }
  if (typeof flags.type === 'string') fields.type = await channelTypeOf(flags.type);
  if (typeof flags.key === 'string') fields.key = await context.secret(flags.key, '--key');
  if (flags.group !== undefined) fields.group = splitList(givenFor(flags.group)).join(',');
  for (const member of ['priority', 'weight'] as const) {
    const value = flags[member];
    if (value === undefined) continue;
    const number = Number(value);
    if (!Number.isSafeInteger(number) || String(value).trim() === '')
      throw usageError(both(`--${member} takes a whole number`, `--${member} 须为整数`), { field: `--${member}` });
    fields[member] = number;
  }
  if (typeof flags.autoBan === 'boolean') fields.auto_ban = flags.autoBan ? 1 : 0;
  if (flags.models !== undefined) fields.models = await modelsOf(context, flags.models, fields);
  return fields;
}
