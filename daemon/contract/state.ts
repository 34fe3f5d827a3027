/** Declared state (cli.md 4): what a document wants, what that would change, and doing it in one transaction. */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { filterText } from './loose.ts';
import { StateDocument, StateFile, StateSetName, stateKinds } from './state-document.ts';

const Kind = z.enum(stateKinds);

/** A value as the document writes it; null where there is none, and for secrets. */
const value = z.unknown();

const FieldChange = z.object({
  path: z.string(),
  from: value,
  to: value,
  /** True where the values are not told; `from` and `to` of channel keys say how many go, stay and come. */
  secret: z.boolean(),
  /** True where the document does not name the field any more, so that it goes back to its default. */
  reset: z.boolean(),
  /** Who wrote it last, where that was not this set; null where nobody did or it is not known. */
  changed_by: z.nullable(z.object({ name: z.string(), at: z.int() })),
});
export type StateFieldChange = z.infer<typeof FieldChange>;

const ObjectChange = z.object({
  action: z.enum(['create', 'adopt', 'update', 'delete']),
  kind: Kind,
  /** The name inside the document. */
  key: z.string(),
  /** Of channels that exist. */
  id: z.nullable(z.int()),
  fields: z.array(FieldChange),
});
export type StateObjectChange = z.infer<typeof ObjectChange>;

const StateObject = z.object({ kind: Kind, key: z.string(), id: z.nullable(z.int()) });
export type StateObject = z.infer<typeof StateObject>;

/** Why a plan is refused. */
const Guard = z.object({
  code: z.string(),
  message: z.string(),
  kind: z.nullable(Kind),
  key: z.string(),
  /** Member of the call that lifts it; "" where nothing does. */
  lift: z.string(),
});

export const StatePlanView = z.object({
  set: z.string(),
  /** Rises with every change of what a document may hold. */
  revision: z.int(),
  plan_id: z.string(),
  changes: z.array(ObjectChange),
  /** Owned by the set, and not in the document. */
  orphans: z.array(StateObject),
  /** Owned by nobody; empty unless asked for. */
  unmanaged: z.array(StateObject),
  guards: z.array(Guard),
  /** What else would happen. */
  warnings: z.array(z.object({ code: z.string(), message: z.string() })),
  summary: z.object({ create: z.int(), change: z.int(), delete: z.int(), orphans: z.int() }),
});
export type StatePlanView = z.infer<typeof StatePlanView>;

/** What the caller allows. */
const allowances = {
  /** Delete what the set owns and the document does not name. */
  prune: z._default(z.boolean(), false),
  /** Take over objects that nobody owns although they differ. */
  adopt: z._default(z.boolean(), false),
  /** Take over objects that other sets own. */
  take_over: z._default(z.boolean(), false),
  change_kind: z._default(z.boolean(), false),
  /** Leave groups without a channel. */
  empty_groups: z._default(z.boolean(), false),
  /** 5, or a tenth of what the set owns, when absent. */
  max_deletes: z.optional(z.nullable(z.int().check(z.minimum(0), z.maximum(1_000_000)))),
  /** Percent; 50 when absent. */
  max_price_rise: z.optional(z.nullable(z.number().check(z.minimum(0), z.maximum(1_000_000_000)))),
};
const wish = { document: StateDocument, ...allowances };

const Allowances = z.object(allowances);
export type StateAllowances = z.output<typeof Allowances>;

/** A plan in a file, for `apply` to make so later: references in the place of secrets. */
export const StatePlanFile = z.strictObject({
  apiVersion: z.literal('tollgate/plan/v1'),
  plan: StatePlanView,
  document: StateFile,
  allowances: Allowances,
});
export type StatePlanFile = z.output<typeof StatePlanFile>;

const SetView = z.object({
  name: z.string(),
  objects: z.int(),
  /** Unix seconds of the last time it was applied. */
  applied_at: z.int(),
  applied_by: z.string(),
  message: z.string(),
});
export type StateSetView = z.infer<typeof SetView>;

const OwnedObject = z.object({ kind: Kind, key: z.string(), id: z.nullable(z.int()), fields: z.array(z.string()) });
export type StateOwnedObject = z.infer<typeof OwnedObject>;

const bodyLimitBytes = 16 * 1024 * 1024;

/** What a document can be refused with before anything is compared. */
const documentErrors = [
  'state_option_unknown',
  'state_option_elsewhere',
  'state_secret_inline',
  'state_fields_clash',
  'state_value_invalid',
  'state_channel_ambiguous',
  'state_channel_unknown',
  'state_twice',
] as const;

const guardErrors = [
  'state_owned',
  'state_adopt',
  'state_deletes',
  'state_price_rise',
  'state_price_kind',
  'state_group_empty',
  'state_group_default',
  'state_root_needed',
] as const;

export const state = {
  export: endpoint({
    method: 'GET',
    path: '/api/state/export',
    access: 'admin',
    scope: 'state:read',
    shape: 'data',
    description: {
      en: 'What is set, as a document: sorted, without defaults; secrets are names of environment variables.',
      zh: '以声明文档的形式导出当前状态：已排序，省略默认值；机密以环境变量名表示。',
    },
    input: z.object({
      /** Comma list of kinds; all when absent. */
      kinds: filterText,
      /** Channels with this tag. */
      tag: filterText,
      /** What this set owns alone. */
      set: filterText,
    }),
    output: z.object({
      /** In the shape of a file. */
      document: z.record(z.string(), z.unknown()),
      /** Names of environment variables that the document refers to. */
      secrets: z.array(z.string()),
    }),
    errors: ['state_set_not_found'],
  }),
  plan: endpoint({
    method: 'POST',
    path: '/api/state/plan',
    access: 'admin',
    scope: 'state:read',
    shape: 'data',
    effect: 'none',
    bodyLimitBytes,
    description: {
      en: 'What applying a document would change, and what would refuse it; changes nothing.',
      zh: '计算应用文档会带来的变化以及会拒绝它的原因；不做任何修改。',
    },
    input: z.object({ ...wish, unmanaged: z._default(z.boolean(), false) }),
    output: StatePlanView,
    errors: documentErrors,
    example: {
      input: { document: { apiVersion: 'tollgate/v1', set: 'prod-core', options: { RetryTimes: 2 } }, prune: true },
    },
  }),
  apply: endpoint({
    method: 'POST',
    path: '/api/state/apply',
    access: 'admin',
    scope: 'state:write',
    shape: 'data',
    freshProof: 'option',
    idempotency: 'key',
    bodyLimitBytes,
    description: {
      en: 'Makes the live state what a document says, all or nothing; with `plan_id` only if that plan still holds.',
      zh: '使当前状态与文档一致，要么全部成功要么全部不变；带 `plan_id` 时仅在该计划仍然有效时执行。',
    },
    input: z.object({
      ...wish,
      /** Of the plan that was agreed to. */
      plan_id: z.optional(z.nullable(z.string().check(z.maxLength(64)))),
      /** Stands in the audit rows. */
      message: z.optional(z.nullable(z.string().check(z.maxLength(500)))),
    }),
    output: StatePlanView,
    errors: [...documentErrors, ...guardErrors, 'state_plan_stale', 'step_up_required'],
    example: { input: { document: { apiVersion: 'tollgate/v1', set: 'prod-core', options: { RetryTimes: 2 } } } },
  }),
  sets: endpoint({
    method: 'GET',
    path: '/api/state/set/',
    access: 'admin',
    scope: 'state:read',
    shape: 'data',
    description: { en: 'Sets that own something, by name.', zh: '列出拥有对象的集合，按名称排列。' },
    output: z.array(SetView),
  }),
  set: endpoint({
    method: 'GET',
    path: '/api/state/set/:name',
    access: 'admin',
    scope: 'state:read',
    shape: 'data',
    description: { en: 'What a set owns, with the fields.', zh: '查看集合拥有的对象与字段。' },
    input: z.object({ name: StateSetName }),
    output: z.object({ ...SetView.shape, owned: z.array(OwnedObject) }),
    errors: ['state_set_not_found'],
  }),
  forget: endpoint({
    method: 'DELETE',
    path: '/api/state/set/:name',
    access: 'admin',
    scope: 'state:write',
    shape: 'data',
    description: {
      en: 'Ends the ownership of a set; what it owned stays as it is. Answers how many objects that were.',
      zh: '释放集合的所有权；其对象保持不变。返回对象数量。',
    },
    input: z.object({ name: StateSetName }),
    output: z.int(),
    errors: ['state_set_not_found'],
  }),
};
