/**
 * What a document of declared state says (cli.md 4.1). The same shape stands in files, where a secret is a reference
 * such as `env:NAME`, and travels in calls, where the references are resolved.
 */
import * as z from 'zod/mini';
import { alertKinds } from './alert-kinds.ts';
import { AlertRule, alertTargetTypes, robotDialects } from './alerts.ts';
import { highestBudget } from './budgets.ts';
import { highestRate } from './rate-limits.ts';

/** What a document may hold, in the order in which it is written. */
export const stateKinds = [
  'option',
  'group',
  'price',
  'rate_rule',
  'limit',
  'alert_rule',
  'alert_target',
  'channel',
] as const;
export type StateKind = (typeof stateKinds)[number];

/** Who owns objects: one document tree is one set. */
export const StateSetName = z
  .string()
  .check(
    z.regex(
      /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/,
      'must be letters, digits, dots and dashes, 64 at most',
    ),
  );

/** Leaves a secret as it is stored. */
export const keep = 'keep';

/** A secret in a file: `env:NAME`, `file:PATH` or `keep`. */
const SecretReference = z.string().check(z.minLength(1), z.maxLength(65_536));

/** A secret in a call. */
const SentSecret = z.union([
  z.literal(keep),
  z.strictObject({ value: z.string().check(z.minLength(1), z.maxLength(65_536)) }),
]);
export type SentSecret = z.infer<typeof SentSecret>;

const name = z.string().check(z.minLength(1), z.maxLength(255));
const text = z.exactOptional(z.string());
const whole = z.exactOptional(z.int());
const figure = z.exactOptional(z.nullable(z.number().check(z.minimum(0), z.maximum(1_000_000))));
const ratio = z.number().check(z.minimum(0));
const dollars = z.exactOptional(z.number().check(z.minimum(0), z.maximum(1_000_000)));
const members = z.exactOptional(z.record(z.string(), z.unknown()));
const names = z.array(name).check(z.minLength(1), z.maxLength(10_000));
const rate = z.exactOptional(z.int().check(z.minimum(0), z.maximum(highestRate)));

/** Absent members are nobody's; null takes an entry away. */
const Group = z.strictObject({
  ratio: z.exactOptional(z.nullable(ratio)),
  topup_ratio: z.exactOptional(z.nullable(ratio)),
  /** Whether users may choose it. */
  usable: z.exactOptional(z.boolean()),
  description: z.exactOptional(z.string().check(z.maxLength(200))),
  /** Ratios of users of this group in other groups. */
  ratios_in: z.exactOptional(z.record(name, ratio)),
});

const Price = z.strictObject({
  model_ratio: figure,
  completion_ratio: figure,
  cache_ratio: figure,
  create_cache_ratio: figure,
  audio_ratio: figure,
  audio_completion_ratio: figure,
  image_ratio: figure,
  image_completion_ratio: figure,
  model_price: figure,
  /** In the place of `model_ratio`. */
  input_usd_per_million: dollars,
  /** In the place of `completion_ratio`; with `input_usd_per_million` alone. */
  output_usd_per_million: dollars,
});

const RateRule = z.strictObject({
  /** `group:vip`, `user:alice` or `token:7`. */
  who: z
    .string()
    .check(
      z.regex(/^(?:group:.{1,64}|user:.{1,255}|token:[1-9]\d{0,8})$/, 'must be group:NAME, user:NAME or token:ID'),
    ),
  model: z
    .string()
    .check(z.maxLength(255), z.regex(/^(?:[^*\s][^*]*\*?|\*)$/, 'must be a model, or how one begins with * behind it')),
  ratio: z.number().check(z.minimum(0), z.maximum(1_000_000)),
});

const Limit = z.strictObject({ rpm: rate, tpm: rate, concurrency: rate });

/** The limit by what is counted and its period, such as `quota/month` (quota units, tokens or calls). */
const Budgets = z.record(
  z
    .string()
    .check(z.regex(/^(?:quota|tokens|requests)\/(?:hour|day|week|month)$/, 'must be a name such as quota/month')),
  z.int().check(z.minimum(1), z.maximum(highestBudget)),
);

const { kind: _kind, ...ruleMembers } = AlertRule.shape;
const AlertRuleWish = z.partial(z.strictObject(ruleMembers));

const alertTargetOf = <S extends z.ZodMiniType>(secret: S) =>
  z.strictObject({
    type: z.enum(alertTargetTypes),
    name: z.exactOptional(z.string().check(z.maxLength(100))),
    enabled: z.exactOptional(z.boolean()),
    dialect: z.exactOptional(z.nullable(z.enum(robotDialects))),
    language: z.exactOptional(z.nullable(z.enum(['en', 'zh']))),
    kinds: z.exactOptional(z.array(z.enum(alertKinds)).check(z.maxLength(alertKinds.length))),
    /** Of mail and webhooks. */
    address: z.exactOptional(z.string().check(z.maxLength(2048))),
    /** Of robots, whose address is their credential. */
    secret_address: z.exactOptional(secret),
    secret: z.exactOptional(secret),
  });

const channelOf = <S extends z.ZodMiniType>(secret: S) =>
  z.strictObject({
    /** Decides where two channels have the name. */
    id: z.exactOptional(z.int().check(z.minimum(1), z.maximum(2_147_483_647))),
    /** The name inside the document when absent. */
    name: z.exactOptional(name),
    /** Word or number of the type. */
    type: z.exactOptional(z.union([z.string(), z.int()], 'must be text or a whole number')),
    status: z.exactOptional(z.enum(['enabled', 'disabled'])),
    keys: z.exactOptional(
      z.union([z.literal(keep), z.array(secret).check(z.minLength(1), z.maxLength(100_000))], 'must be keep or a list'),
    ),
    models: z.exactOptional(names),
    groups: z.exactOptional(names),
    base_url: text,
    /** Text, or the object whose JSON stands there. */
    other: z.exactOptional(z.union([z.string(), z.record(z.string(), z.unknown())], 'must be text or an object')),
    priority: whole,
    weight: whole,
    tag: text,
    model_prefix: text,
    model_mapping: members,
    status_code_mapping: members,
    param_override: members,
    setting: members,
    test_model: text,
    openai_organization: text,
    max_input_tokens: whole,
    auto_ban: z.exactOptional(z.boolean()),
    budgets: z.exactOptional(Budgets),
  });

const documentOf = <S extends z.ZodMiniType>(secret: S) =>
  z.strictObject({
    apiVersion: z.literal('tollgate/v1'),
    set: StateSetName,
    /** Typed values by key; of secret options the secret. */
    options: z.exactOptional(z.record(name, z.unknown())),
    groups: z.exactOptional(z.record(z.string().check(z.minLength(1), z.maxLength(64)), Group)),
    prices: z.exactOptional(z.record(name, Price)),
    rate_rules: z.exactOptional(z.array(RateRule).check(z.maxLength(10_000))),
    /** By `group:NAME` or `model:NAME`. */
    limits: z.exactOptional(
      z.record(z.string().check(z.regex(/^(?:group|model):.{1,255}$/, 'must be group:NAME or model:NAME')), Limit),
    ),
    alerts: z.exactOptional(
      z.strictObject({
        /** By kind. */
        rules: z.exactOptional(z.partialRecord(z.enum(alertKinds), AlertRuleWish)),
        /** By id. */
        targets: z.exactOptional(z.record(z.string(), alertTargetOf(secret))),
      }),
    ),
    /** By what the set calls them. */
    channels: z.exactOptional(z.record(name, channelOf(secret))),
  });

/** As it stands in a file. */
export const StateFile = documentOf(SecretReference);
export type StateFile = z.infer<typeof StateFile>;

/** As it is sent. */
export const StateDocument = documentOf(SentSecret);
export type StateDocument = z.infer<typeof StateDocument>;

/** What a document may say of one channel. */
export type DeclaredChannel = NonNullable<StateDocument['channels']>[string];
export type DeclaredGroup = z.infer<typeof Group>;
export type DeclaredPrice = z.infer<typeof Price>;
export type DeclaredAlertTarget = NonNullable<NonNullable<StateDocument['alerts']>['targets']>[string];

/** JSON Schema of a file, for editors. */
export function stateFileSchema(): object {
  return z.toJSONSchema(StateFile, { io: 'input' });
}

/** Names of the fields that an object of a file may have, by its place; none where it takes any name. */
export function stateFieldsAt(place: readonly PropertyKey[]): readonly string[] {
  let schema: unknown = stateFileSchema();
  for (const step of place) {
    const below = typeof step === 'number' ? memberOf(schema, 'items') : memberOf(memberOf(schema, 'properties'), step);
    schema = below ?? memberOf(schema, 'additionalProperties');
  }
  return Object.keys(memberOf(schema, 'properties') ?? {});
}

function memberOf(value: unknown, name: PropertyKey): object | undefined {
  const member: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof member === 'object' && member !== null ? member : undefined;
}
