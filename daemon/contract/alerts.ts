/** What operators are told of by itself, and where: rules, targets and a test call (console.md N23, cli.md E16). */
import * as z from 'zod/mini';
import { alertKinds } from './alert-kinds.ts';
import { endpoint } from './endpoint.ts';

export const alertTargetTypes = ['owner', 'mail', 'webhook', 'robot'] as const;

/** Chat products whose robots take a message by HTTP, each in its own form. */
export const robotDialects = ['slack', 'discord', 'feishu', 'dingtalk', 'wecom'] as const;
export type RobotDialect = (typeof robotDialects)[number];

/** When something is worth telling. */
export const AlertRule = z.object({
  kind: z.enum(alertKinds),
  enabled: z.boolean(),
  /** How long the same thing about the same subject is not told again. */
  quiet_minutes: z.int().check(z.minimum(1), z.maximum(10_080)),
  /** In what `alertThresholds` says; 0 for the other kinds. */
  threshold: z.number().check(z.minimum(0), z.maximum(1_000_000_000_000)),
  /** `error-rate`: the span that is looked at; 0 for the other kinds. */
  window_minutes: z.int().check(z.minimum(0), z.maximum(60)),
  /** `error-rate`: fewer calls in the span say nothing; 0 for the other kinds. */
  min_requests: z.int().check(z.minimum(0), z.maximum(1_000_000)),
});
export type AlertRule = z.output<typeof AlertRule>;

const targetId = z.string().check(z.regex(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/));
const targetName = z.string().check(z.maxLength(100));
/** A mail or web address; "" for `owner`, which is root by the notification settings of root's own account. */
const targetAddress = z.string().check(z.maxLength(2048));
const targetSecret = z.string().check(z.maxLength(512));

const targetMembers = {
  id: targetId,
  type: z.enum(alertTargetTypes),
  name: targetName,
  enabled: z.boolean(),
  /** Form of the message for a robot; null for the other types. */
  dialect: z.nullable(z.enum(robotDialects)),
  /** Null means the language of the site. */
  language: z.nullable(z.enum(['en', 'zh'])),
  /** What this target is told of; empty means everything. */
  kinds: z.array(z.enum(alertKinds)).check(z.maxLength(alertKinds.length)),
};

/** A target as it is kept. */
const StoredTarget = z.object({ ...targetMembers, address: targetAddress, secret: targetSecret });
export type AlertTarget = z.output<typeof StoredTarget>;

const StoredSettings = z.object({ rules: z.array(AlertRule), targets: z.array(StoredTarget) });
/** Everything that is kept about alerts. */
export type AlertSettings = z.output<typeof StoredSettings>;

/** Reads what was kept; undefined when it is not that. */
export function parseAlertSettings(text: string): AlertSettings | undefined {
  try {
    const parsed = StoredSettings.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

export const AlertTargetView = z.object({
  ...targetMembers,
  /** A robot's address is its credential: of it the host alone is shown. */
  address: z.string(),
  /** Whether messages are signed; the secret itself is never shown. */
  secret_set: z.boolean(),
});

/** What became of the notices of this node since it started. */
const NoticeFigures = z.object({
  waiting: z.int(),
  sent: z.int(),
  failed: z.int(),
  /** Given up because too many waited. */
  dropped: z.int(),
});
export type NoticeFigures = z.output<typeof NoticeFigures>;

export const AlertsView = z.object({
  rules: z.array(AlertRule),
  targets: z.array(AlertTargetView),
  deliveries: NoticeFigures,
});
export type AlertsView = z.output<typeof AlertsView>;

const SentRule = z.object({
  kind: AlertRule.shape.kind,
  enabled: z.optional(AlertRule.shape.enabled),
  quiet_minutes: z.optional(AlertRule.shape.quiet_minutes),
  threshold: z.optional(AlertRule.shape.threshold),
  window_minutes: z.optional(AlertRule.shape.window_minutes),
  min_requests: z.optional(AlertRule.shape.min_requests),
});
export type SentAlertRule = z.output<typeof SentRule>;

const SentTarget = z.object({
  id: targetId,
  type: targetMembers.type,
  name: z.optional(targetName),
  enabled: z.optional(z.boolean()),
  dialect: z.optional(targetMembers.dialect),
  language: z.optional(targetMembers.language),
  kinds: z.optional(targetMembers.kinds),
  /** Absent keeps what is stored under the id. */
  address: z.optional(targetAddress),
  /** Absent and empty keep what is stored under the id while the origin of the address stays; null clears it. */
  secret: z.optional(z.nullable(targetSecret)),
});
export type SentAlertTarget = z.output<typeof SentTarget>;

const TestResult = z.object({
  target: z.string(),
  ok: z.boolean(),
  /** "" after a success. */
  reason: z.string(),
});

export const alerts = {
  get: endpoint({
    method: 'GET',
    path: '/api/alert/',
    access: 'root',
    scope: 'option:read',
    shape: 'data',
    description: {
      en: 'Rules and targets of alerts, and what became of the notices of this node.',
      zh: '告警规则与接收方，以及本节点各条通知的发送结果。',
    },
    output: AlertsView,
  }),
  set: endpoint({
    method: 'PUT',
    path: '/api/alert/',
    access: 'root',
    scope: 'option:write',
    shape: 'data',
    description: {
      en: 'Changes rules by kind, and the list of targets as a whole; members that are absent stay as they are, also in a rule or target that is sent.',
      zh: '按类型修改规则，接收方列表则整体替换；缺省的字段保持不变，已提交的规则与接收方中的字段也是如此。',
    },
    input: z.object({
      rules: z.optional(z.array(SentRule).check(z.maxLength(alertKinds.length))),
      targets: z.optional(z.array(SentTarget).check(z.maxLength(20))),
    }),
    output: AlertsView,
    errors: ['alert_target_invalid', 'alert_rule_invalid', 'alert_rule_unread'],
    example: {
      input: {
        rules: [{ kind: 'error-rate', enabled: true, threshold: 20, window_minutes: 5, min_requests: 50 }],
        targets: [
          { id: 'owner', type: 'owner' },
          { id: 'pager', type: 'webhook', address: 'https://pager.example.com/tollgate', secret: 'a signing secret' },
        ],
      },
    },
  }),
  test: endpoint({
    method: 'POST',
    path: '/api/alert/test',
    access: 'root',
    scope: 'option:write',
    shape: 'data',
    description: {
      en: 'Sends a sample to one target, or to every one, at once and without a second try.',
      zh: '立即向一个或全部接收方发送测试通知，失败不重试。',
    },
    input: z.object({ target: z.optional(targetId), kind: z.optional(z.enum(alertKinds)) }),
    output: z.array(TestResult),
    errors: ['alert_target_unknown'],
  }),
};
