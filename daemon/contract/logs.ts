/** The usage log (management-api.md 3.14, 4.6, 4.11). */
import * as z from 'zod/mini';
import { endpoint, pagedFromOne } from './endpoint.ts';
import { filterText, optionalColumnNumber, optionalSwitch, optionalWholeNumber, querySwitch } from './loose.ts';

/** A row of the log; times in unix seconds. */
export const LogView = z.object({
  /** For users an opaque small number that is no key. */
  id: z.int(),
  user_id: z.int(),
  created_at: z.int(),
  /** 1 top-up, 2 consume, 3 manage, 4 system, 5 check-in. */
  type: z.int(),
  content: z.string(),
  username: z.string(),
  token_name: z.string(),
  model_name: z.string(),
  quota: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** Seconds. */
  use_time: z.int(),
  is_stream: z.boolean(),
  /** Channel id; 0 for users. */
  channel: z.int(),
  channel_name: z.string(),
  token_id: z.int(),
  group: z.string(),
  /** JSON text. */
  other: z.string(),
  request_id: z.string(),
  failed: z.boolean(),
  ip: z.nullable(z.string()),
  /** What its upstream's answer cost the operator, in quota; absent for users. */
  cost: z.optional(z.int()),
});
export type LogView = z.infer<typeof LogView>;

/** What a caller may ask of own rows. */
export const ownFilters = {
  type: optionalColumnNumber,
  token_name: filterText,
  /** Exact; one trailing `%` makes it a prefix. */
  model_name: filterText,
  start_timestamp: optionalWholeNumber,
  end_timestamp: optionalWholeNumber,
  group: filterText,
  request_id: filterText,
  /** 1 for requests that failed as a whole, 0 for all others. */
  failed: optionalSwitch,
};
/** What an administrator may ask of all rows. */
export const allFilters = { ...ownFilters, username: filterText, channel: optionalColumnNumber };

/** Sums of the filter; `rpm` and `tpm` are those of the last 60 seconds. */
const LogStat = z.object({
  quota: z.int(),
  rpm: z.int(),
  tpm: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
});
export type LogStat = z.infer<typeof LogStat>;

/** One line a row; the last line has the totals. */
const fileFormat = z._default(z.enum(['csv', 'ndjson']), 'csv');

const keyword = z.object({ keyword: filterText });

export const logs = {
  list: endpoint({
    method: 'GET',
    path: '/api/log/',
    access: 'admin',
    scope: 'log:read',
    shape: 'page',
    paging: { ...pagedFromOne, maxSize: 1000 },
    description: {
      en: 'Lists all rows, newest first; prompts and answers only with `with_content`, which is audited.',
      zh: '列出全部日志，最新的在前；仅在带 `with_content` 时包含提问与回答，并写入审计记录。',
    },
    input: z.object({
      ...allFilters,
      with_content: querySwitch,
      /** Rows written after the row of this id; `total` then counts 10,000 at most. */
      after_id: optionalWholeNumber,
    }),
    output: LogView,
  }),
  listOwn: endpoint({
    method: 'GET',
    path: '/api/log/self',
    access: 'user',
    scope: 'log:read',
    shape: 'page',
    paging: pagedFromOne,
    description: { en: "Lists the caller's rows, newest first.", zh: '列出调用者的日志，最新的在前。' },
    input: z.object(ownFilters),
    output: LogView,
  }),
  export: endpoint({
    method: 'GET',
    path: '/api/log/export',
    access: 'admin',
    scope: 'log:read',
    shape: 'file',
    rate: 'download',
    description: {
      en: 'All rows of the filter as a file, newest first, with what each call cost the operator; the last line has the totals.',
      zh: '把筛选出的全部日志导出为文件，最新的在前，含每次调用的运营成本；末行为合计。',
    },
    input: z.object({
      ...allFilters,
      format: fileFormat,
      /** Goes on behind the row of this id, the last one of a file that was cut. */
      resume_after: optionalWholeNumber,
    }),
  }),
  exportOwn: endpoint({
    method: 'GET',
    path: '/api/log/self/export',
    access: 'user',
    scope: 'log:read',
    shape: 'file',
    rate: 'download',
    description: {
      en: "All of the caller's rows of the filter as a file, newest first; the last line has the totals.",
      zh: '把筛选出的调用者日志导出为文件，最新的在前；末行为合计。',
    },
    input: z.object({
      ...ownFilters,
      format: fileFormat,
      /**
       * Goes on behind the row of this request, the last one of a file that was cut; where a request has several rows,
       * its id and that of the row, as `request/id`.
       */
      resume_after: filterText,
    }),
  }),
  stat: endpoint({
    method: 'GET',
    path: '/api/log/stat',
    access: 'admin',
    scope: 'log:read',
    shape: 'data',
    description: {
      en: 'Sums of the filter and the rates of the last minute.',
      zh: '筛选结果的合计，以及最近一分钟的速率。',
    },
    input: z.object(allFilters),
    output: LogStat,
  }),
  statOwn: endpoint({
    method: 'GET',
    path: '/api/log/self/stat',
    access: 'user',
    scope: 'log:read',
    shape: 'data',
    description: {
      en: "Sums of the filter over the caller's rows and the rates of the last minute.",
      zh: '筛选出的调用者日志的合计，以及最近一分钟的速率。',
    },
    input: z.object(ownFilters),
    output: LogStat,
  }),
  search: endpoint({
    method: 'GET',
    path: '/api/log/search',
    access: 'admin',
    scope: 'log:read',
    shape: 'list',
    rate: 'search',
    description: {
      en: 'The newest 100 rows of a type (a number) or whose content starts with the keyword.',
      zh: '某一类型（数字）或内容以关键字开头的最近 100 条日志。',
    },
    input: keyword,
    output: LogView,
  }),
  searchOwn: endpoint({
    method: 'GET',
    path: '/api/log/self/search',
    access: 'user',
    scope: 'log:read',
    shape: 'list',
    rate: 'search',
    description: {
      en: "The caller's newest 100 rows of a type (a number) or whose content starts with the keyword.",
      zh: '调用者的日志中，某一类型（数字）或内容以关键字开头的最近 100 条。',
    },
    input: keyword,
    output: LogView,
  }),
  deleteBefore: endpoint({
    method: 'DELETE',
    path: '/api/log/',
    access: 'admin',
    scope: 'log:write',
    shape: 'data',
    description: {
      en: 'Deletes rows older than the cut-off in small batches; answers how many there were.',
      zh: '分小批删除早于指定时间的日志；返回删除的数量。',
    },
    input: z.object({
      target_timestamp: z.optional(z.nullable(z.union([z.number(), z.string()]))),
    }),
    output: z.int(),
    errors: ['log_cutoff'],
  }),
  listByKey: endpoint({
    method: 'GET',
    path: '/api/log/token',
    access: 'key-read',
    scope: 'log:read',
    ownKey: 'query',
    crossOrigin: 'anyone',
    shape: 'list',
    description: {
      en: 'The newest 1000 rows of a key, asked for with the key itself or, signed in, with an own key.',
      zh: '令牌最近的 1000 条日志；可凭令牌本身查询，登录后也可查询本人的令牌。',
    },
    input: z.object({ key: filterText }),
    output: LogView,
  }),
};
