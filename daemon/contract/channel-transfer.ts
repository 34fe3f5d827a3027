/** Channels as files: out for safe keeping, in for many at once (console.md 9, N11; cli.md 7.2, E11). */
import * as z from 'zod/mini';
import { columnNumber, columnText } from './channel-fields.ts';
import { endpoint } from './endpoint.ts';
import { filterText, optionalColumnNumber, optionalIdText, querySwitch } from './loose.ts';

/** Members of a row in a file, in their order; `keys` stands there only when keys are asked for. */
export const transferMembers = [
  'name',
  'type',
  'status',
  'group',
  'models',
  'base_url',
  'other',
  'priority',
  'weight',
  'tag',
  'model_prefix',
  'model_mapping',
  'status_code_mapping',
  'param_override',
  'setting',
  'test_model',
  'openai_organization',
  'max_input_tokens',
  'auto_ban',
] as const;

/** A text, or the JSON object that the text stands for. */
const jsonColumn = z.optional(z.nullable(z.union([z.string(), z.record(z.string(), z.unknown())])));

/** One key of a channel; a plain text is a key that is in use. */
const ImportKey = z.union([z.string(), z.object({ key: z.string(), status: columnNumber, cap: columnNumber })]);

/** One channel to be; members that a file of a related product may carry beside these are refused by name. */
export const ImportRow = z.looseObject({
  name: columnText,
  /** Number or word of the type. */
  type: columnNumber,
  /** 1 enabled, 2 disabled by hand, 3 disabled automatically. */
  status: columnNumber,
  group: columnText,
  models: columnText,
  base_url: columnText,
  other: jsonColumn,
  priority: columnNumber,
  weight: columnNumber,
  tag: columnText,
  model_prefix: columnText,
  model_mapping: jsonColumn,
  status_code_mapping: jsonColumn,
  param_override: jsonColumn,
  setting: jsonColumn,
  test_model: columnText,
  openai_organization: columnText,
  max_input_tokens: columnNumber,
  auto_ban: columnNumber,
  /** Keys as one text; `keys` wins. */
  key: columnText,
  keys: z.optional(z.nullable(z.array(ImportKey).check(z.maxLength(100_000)))),
});
export type ImportRow = z.infer<typeof ImportRow>;

/** What happens to a row whose name a channel has already. */
export const clashRules = ['fail', 'skip', 'update', 'create'] as const;

const ImportedRow = z.object({
  /** Place in the file, from 1. */
  row: z.int(),
  name: z.string(),
  action: z.enum(['create', 'update', 'unchanged', 'skip']),
  /** Null for a channel that does not exist yet. */
  id: z.nullable(z.int()),
  /** Columns with what they hold and what they shall hold; of keys only how many. */
  changes: z.array(z.object({ field: z.string(), from: z.string(), to: z.string() })),
});

const ImportProblem = z.object({
  row: z.int(),
  name: z.string(),
  field: z.string(),
  code: z.string(),
  message: z.string(),
});

export const ImportAnswer = z.object({
  /** False when a row cannot be taken: then nothing was written. */
  success: z.boolean(),
  message: z.string(),
  code: z.optional(z.string()),
  /** Place of the first row and member at fault, such as `channels.3.models`. */
  field: z.optional(z.string()),
  dry_run: z.boolean(),
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  skipped: z.int(),
  rows: z.array(ImportedRow),
  problems: z.array(ImportProblem),
});
export type ImportAnswer = z.infer<typeof ImportAnswer>;

export const channelTransfer = {
  export: endpoint({
    method: 'GET',
    path: '/api/channel/export',
    access: 'admin',
    scope: 'channel:write',
    shape: 'file',
    rate: 'download',
    description: {
      en: 'Channels of the filter as a file that `import` reads; with `keys` their keys too, which writes an audit row.',
      zh: '把筛选出的渠道导出为可供 `import` 读取的文件；带 `keys` 时包含密钥，并写入审计记录。',
    },
    input: z.object({
      format: z.catch(z._default(z.enum(['json', 'ndjson', 'csv']), 'json'), 'json'),
      keys: querySwitch,
      status: z.catch(z.optional(z.enum(['enabled', 'disabled', 'auto'])), undefined),
      type: optionalColumnNumber,
      group: filterText,
      tag: filterText,
      /** These alone. */
      ids: optionalIdText,
    }),
    errors: ['channel_key_hidden', 'step_up_required'],
  }),
  import: endpoint({
    method: 'POST',
    path: '/api/channel/import',
    access: 'admin',
    scope: 'channel:write',
    shape: 'beside',
    verdict: 'problems',
    idempotency: 'key',
    bodyLimitBytes: 16 * 1024 * 1024,
    description: {
      en:
        'Makes and changes channels, all of them or none; with `dry_run` it only says what would happen. Rows find their ' +
        'channel by name.',
      zh: '批量创建与修改渠道，要么全部成功要么全部不变；带 `dry_run` 时仅说明将发生的变化。各行按名称对应渠道。',
    },
    input: z.object({
      channels: z.optional(z.nullable(z.array(ImportRow).check(z.maxLength(10_000)))),
      /** The rows as CSV with a heading line, instead of `channels`. */
      csv: columnText,
      on_clash: z._default(z.enum(clashRules), 'fail'),
      dry_run: z._default(z.boolean(), false),
    }),
    output: ImportAnswer,
    errors: ['channel_import_csv', 'channel_import_empty', 'channel_import_invalid', 'step_up_required'],
    example: {
      input: {
        channels: [
          { name: 'deepseek', type: 'deepseek', key: 'sk-example', models: 'deepseek-chat', group: 'default' },
        ],
        on_clash: 'update',
        dry_run: true,
      },
    },
  }),
};
