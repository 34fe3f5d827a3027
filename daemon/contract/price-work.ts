/** Work on prices: what they were, going back to it, and taking over lists that others publish (REQ-20). */
import * as z from 'zod/mini';
import { endpoint, pagedFromOne } from './endpoint.ts';
import { PriceChangeView, PriceEdits } from './prices.ts';

/** A change of prices. */
export const PriceVersionView = z.object({
  /** Rises with every change. */
  version: z.int(),
  /** The version before; 0 where that is forgotten, or there was none. */
  before: z.int(),
  /** Unix seconds. */
  created_at: z.int(),
  created_by: z.string(),
  /** `edit` by the price editors, `option` through the settings, `reset`, `sync` or `rollback`. */
  cause: z.enum(['edit', 'option', 'reset', 'sync', 'rollback']),
  note: z.string(),
  /** Names of changed models, the first 20 of them. */
  models: z.array(z.string()),
  model_count: z.int(),
});
export type PriceVersionView = z.infer<typeof PriceVersionView>;

/** A figure, the JSON text of what is more than one, or null where there is no entry. */
const figure = z.nullable(z.union([z.number(), z.string()]));

/** An entry that differs between two versions. */
export const PriceDifferenceView = z.object({
  /** The option that holds it, such as `ModelRatio`. */
  option: z.string(),
  /** The model, or tool; "" for an option that is one list. */
  name: z.string(),
  old: figure,
  new: figure,
});
export type PriceDifferenceView = z.infer<typeof PriceDifferenceView>;

export const PriceSyncView = z.object({
  /** `ratios`: maps of ratios, as this project and its family export them; `litellm`, `openrouter`. */
  format: z.enum(['ratios', 'litellm', 'openrouter']),
  /** Models with a price in the list. */
  listed: z.int(),
  changes: z.array(PriceChangeView),
  /**
   * `kind`: one side is by token and the other by call; `new`: no entry yet, and new ones are not wanted; `unread`: a
   * figure of the model is no price (text, negative, too large) and was passed over.
   */
  left_out: z.array(z.object({ model_name: z.string(), reason: z.enum(['kind', 'new', 'unread']) })),
  /** Models whose price rises by more percent than allowed; nothing is applied while there are any. */
  over: z.array(z.object({ model_name: z.string(), rise: z.number() })),
  /** The version that this made; null when nothing was changed. */
  version: z.nullable(z.int()),
});
export type PriceSyncView = z.infer<typeof PriceSyncView>;

/** What past charges come to by other prices: one portion of the rows. */
export const PriceRerateView = z.object({
  /** By what was asked for; quota. */
  rows: z.array(z.object({ key: z.string(), requests: z.int(), charged: z.int(), would_be: z.int() })),
  /**
   * Charges that are left as they are. `no_version`: their rows name no version of prices; `version_forgotten`: it is kept
   * no more; `session`: charged turn by turn; `task`: goes back as a whole when the task fails; `waived`: nothing was
   * charged though there is a price; `not_reproducible`: their own version does not give their charge; `unpriced`: the
   * other prices have none for the model. Where it is booked also `balance`: user or token cannot pay the difference;
   * `changed`: changed meanwhile; `user_gone`.
   */
  left: z.array(
    z.object({
      reason: z.enum([
        'no_version',
        'version_forgotten',
        'session',
        'task',
        'waived',
        'not_reproducible',
        'unpriced',
        'balance',
        'changed',
        'user_gone',
      ]),
      rows: z.int(),
      charged: z.int(),
      /** The first 20. */
      request_ids: z.array(z.string()),
    }),
  ),
  /** Rows whose charge is another; with `book` they are booked. */
  differing: z.int(),
  /** Goes on behind this portion as `after`; null when nothing is left. */
  next: z.nullable(z.string()),
});
export type PriceRerateView = z.infer<typeof PriceRerateView>;

const version = z.int().check(z.minimum(0), z.maximum(2_147_483_647));
const note = z.optional(z.nullable(z.string().check(z.maxLength(500))));
const patterns = z.optional(
  z.nullable(z.array(z.string().check(z.minLength(1), z.maxLength(255))).check(z.maxLength(1000))),
);

export const priceWork = {
  versions: endpoint({
    method: 'GET',
    path: '/api/price/version/',
    access: 'admin',
    scope: 'price:read',
    shape: 'page',
    paging: pagedFromOne,
    description: {
      en: 'Changes of prices, newest first: who, when, why, and of which models.',
      zh: '价格变更记录，最新的在前：操作者、时间、原因与涉及的模型。',
    },
    output: PriceVersionView,
  }),
  differences: endpoint({
    method: 'GET',
    path: '/api/price/diff',
    access: 'admin',
    scope: 'price:read',
    shape: 'data',
    description: {
      en: 'What differs between two versions of prices; 0 is before the oldest that is kept, without `to` it is now.',
      zh: '比较两个价格版本；0 表示最早版本之前，缺省 `to` 表示当前价格。',
    },
    input: z.object({ from: version, to: z.optional(z.nullable(version)) }),
    output: z.array(PriceDifferenceView),
    errors: ['price_version_not_found'],
    example: { input: { from: 3, to: 4 } },
  }),
  rollback: endpoint({
    method: 'POST',
    path: '/api/price/rollback',
    access: 'admin',
    scope: 'price:write',
    shape: 'data',
    description: {
      en: 'Puts all prices back to what they were at a version, in one transaction; this is a new version itself.',
      zh: '将全部价格恢复到指定版本，一次完成；恢复本身也会成为新版本。',
    },
    input: z.object({ version, note }),
    output: z.object({
      /** Null when prices were so already. */
      version: z.nullable(z.int()),
    }),
    errors: ['option_invalid', 'price_version_not_found'],
    example: { input: { version: 3, note: 'wrong list' } },
  }),
  sync: endpoint({
    method: 'POST',
    path: '/api/price/sync',
    access: 'admin',
    scope: 'price:write',
    shape: 'data',
    bodyLimitBytes: 16 * 1024 * 1024,
    description: {
      en: 'Takes prices over from a published list, all or none; removes nothing and turns no price by token into one by call.',
      zh: '从公开的价格列表同步价格，要么全部成功要么全部不变；不会删除价格，也不会在按量与按次之间切换。',
    },
    input: z.object({
      /** Where the list is; the server fetches it through its egress guard. */
      url: z.optional(z.nullable(z.string().check(z.maxLength(2000)))),
      /** The list itself, instead of an address. */
      content: z.optional(z.nullable(z.record(z.string(), z.unknown()))),
      /** Names with `*` and `?`; without any, all. */
      only: patterns,
      except: patterns,
      /** Percent by which any price of a model may rise; absent for any. */
      max_rise: z.optional(z.nullable(z.number().check(z.minimum(0), z.maximum(1_000_000)))),
      /** Leaves models out that have no entry yet. */
      no_new: z.optional(z.nullable(z.boolean())),
      /** Answers what would change and changes nothing. */
      dry_run: z.optional(z.nullable(z.boolean())),
      note,
    }),
    output: PriceSyncView,
    errors: ['option_invalid', 'price_rise_exceeded', 'price_source_failed', 'price_source_unknown'],
    example: { input: { content: { model_ratio: { 'my-model': 0.5 } }, dry_run: true } },
  }),
  rerate: endpoint({
    method: 'POST',
    path: '/api/price/rerate',
    access: 'admin',
    scope: 'price:write',
    shape: 'data',
    bodyLimitBytes: 4 * 1024 * 1024,
    description: {
      en: 'What the charges of a time would be by a version of prices, or by a draft; with `book`, by a version only, the differences are booked, each row in a transaction of its own; what attempts cost the operator stays as it was noted when they were made. One portion a call: go on with `next`. Safe to repeat.',
      zh: '按某个价格版本或草案重新计算一段时间内的费用；带 `book` 时（仅限版本）逐行在独立事务中记入差额；各次尝试的上游成本保持调用时的记录。每次处理一部分，用 `next` 继续。可安全重复执行。',
    },
    input: z.object({
      version: z.optional(z.nullable(version)),
      /** Figures that take the place of those in force, instead of a version. */
      draft: z.optional(z.nullable(PriceEdits)),
      /** Unix seconds. */
      start_timestamp: z.int().check(z.minimum(0)),
      /** Not included. */
      end_timestamp: z.int().check(z.minimum(0)),
      by: z.enum(['user', 'model', 'group']),
      /** `next` of the portion before. */
      after: z.optional(z.nullable(z.string().check(z.regex(/^\d{1,12}\.\d{1,15}$/)))),
      book: z.optional(z.nullable(z.boolean())),
      /** Stands in the audit log. */
      note,
    }),
    output: PriceRerateView,
    errors: ['price_version_not_found'],
    example: { input: { version: 3, start_timestamp: 1_790_000_000, end_timestamp: 1_790_086_400, by: 'user' } },
  }),
};
