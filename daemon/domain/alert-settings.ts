/** Rules and targets of alerts: what holds before anything was saved, and how a change is applied to what is kept. */
import { type AlertFigure, type AlertKind, alertKinds, readsFigure } from '../contract/alert-kinds.ts';
import type { AlertRule, AlertSettings, AlertTarget, SentAlertRule, SentAlertTarget } from '../contract/alerts.ts';
import { TollgateError } from '../errors.ts';
import { checkedEmail } from './account-rules.ts';

const off = { threshold: 0, window_minutes: 0, min_requests: 0 } as const;

/** Root is told of channels that go and come, by the notification settings of root's own account (management-api.md 5.7). */
export function defaultAlertSettings(quietMinutes: number): AlertSettings {
  const rules: Record<AlertKind, Omit<AlertRule, 'kind'>> = {
    'channel-disabled': { ...off, enabled: true, quiet_minutes: quietMinutes },
    'channel-recovered': { ...off, enabled: true, quiet_minutes: quietMinutes },
    'channel-balance': { ...off, enabled: false, quiet_minutes: 1440, threshold: 5 },
    'error-rate': { enabled: false, quiet_minutes: 60, threshold: 20, window_minutes: 5, min_requests: 50 },
    'user-balance': { ...off, enabled: false, quiet_minutes: 1440, threshold: 0 },
    'token-quota': { ...off, enabled: false, quiet_minutes: 1440, threshold: 0 },
  };
  const owner = { id: 'owner', type: 'owner', name: '', enabled: true, dialect: null, language: null } as const;
  return {
    rules: alertKinds.map((kind) => ({ kind, ...rules[kind] })),
    targets: [{ ...owner, kinds: [], address: '', secret: '' }],
  };
}

/**
 * What a rule of this kind says, 0 where it looks at no figure, whatever was kept; kinds that were not saved yet stand at
 * their defaults.
 */
export function ruleOf(settings: AlertSettings, kind: AlertKind, defaults: AlertSettings): AlertRule {
  const find = ({ rules }: AlertSettings) => rules.find((rule) => rule.kind === kind);
  const rule = find(settings) ?? find(defaults);
  if (!rule) throw new TollgateError('internal_error', {}, { cause: `no rule of kind ${kind}` });
  const figure = (name: AlertFigure) => (readsFigure(kind, name) ? rule[name] : 0);
  const figures = { threshold: figure('threshold'), window_minutes: figure('window_minutes') };
  return { ...rule, ...figures, min_requests: figure('min_requests') };
}

/** The rules after a change, with one of each kind. Throws `alert_rule_invalid` and `alert_rule_unread`. */
export function changedRules(rules: readonly AlertRule[], sent: readonly SentAlertRule[]): AlertRule[] {
  return rules.map((rule) => {
    const change = sent.find(({ kind }) => kind === rule.kind);
    if (!change) return rule;
    refuseUnread(change);
    const changed: AlertRule = {
      kind: rule.kind,
      enabled: change.enabled ?? rule.enabled,
      quiet_minutes: change.quiet_minutes ?? rule.quiet_minutes,
      threshold: change.threshold ?? rule.threshold,
      window_minutes: change.window_minutes ?? rule.window_minutes,
      min_requests: change.min_requests ?? rule.min_requests,
    };
    checkRule(changed);
    return changed;
  });
}

/** A figure that nobody looks at would be kept, and nothing would follow. */
function refuseUnread({ kind, ...sent }: SentAlertRule): void {
  for (const member of ['threshold', 'window_minutes', 'min_requests'] as const) {
    if (sent[member] && !readsFigure(kind, member)) {
      throw new TollgateError('alert_rule_unread', { kind, member }, { field: member });
    }
  }
}

function checkRule({ kind, enabled, threshold, window_minutes, min_requests }: AlertRule): void {
  const invalid = (field: string) => new TollgateError('alert_rule_invalid', { kind }, { field });
  if (kind === 'error-rate') {
    if (threshold <= 0 || threshold > 100) throw invalid('threshold');
    if (window_minutes < 1) throw invalid('window_minutes');
    if (min_requests < 1) throw invalid('min_requests');
  }
  const isQuota = kind === 'user-balance' || kind === 'token-quota';
  if (isQuota && enabled && threshold <= 0) throw invalid('threshold');
}

/** What judges an address: the egress guard. */
export type AcceptsAddress = (url: string) => boolean;

/** The whole list of targets after a change. Throws `alert_target_invalid`. */
export function changedTargets(
  kept: readonly AlertTarget[],
  sent: readonly SentAlertTarget[],
  accepts: AcceptsAddress,
): AlertTarget[] {
  const ids = new Set(sent.map(({ id }) => id));
  if (ids.size !== sent.length) throw new TollgateError('alert_target_invalid', { target: 'id' }, { field: 'targets' });
  return sent.map((change) => {
    const before = kept.find(({ id, type }) => id === change.id && type === change.type);
    const target = mergedTarget(before, change);
    checkTarget(target, accepts);
    return target;
  });
}

function mergedTarget(before: AlertTarget | undefined, change: SentAlertTarget): AlertTarget {
  const { id, type } = change;
  const sent = change.address?.trim() ?? '';
  // What is shown of a robot's address is its host; sent back, it means the address behind it.
  const isKept = sent === '' || (type === 'robot' && before !== undefined && sent === hostOf(before.address));
  const address = isKept ? (before?.address ?? '') : sent;
  return {
    id,
    type,
    name: change.name ?? before?.name ?? '',
    enabled: change.enabled ?? before?.enabled ?? true,
    dialect: type === 'robot' ? (change.dialect ?? before?.dialect ?? null) : null,
    language: change.language === undefined ? (before?.language ?? null) : change.language,
    kinds: [...new Set(change.kinds ?? before?.kinds ?? [])],
    address: type === 'owner' ? '' : address,
    secret: secretAfter(before, change, address),
  };
}

/** A secret must not follow a changed address to another host (S15). */
function secretAfter(before: AlertTarget | undefined, { secret, type }: SentAlertTarget, address: string): string {
  if (type === 'owner' || type === 'mail' || secret === null) return '';
  if (secret !== undefined && secret !== '') return secret;
  if (!before || originOf(before.address) !== originOf(address)) return '';
  return before.secret;
}

function checkTarget({ id, type, address, dialect }: AlertTarget, accepts: AcceptsAddress): void {
  const invalid = (field: string) => new TollgateError('alert_target_invalid', { target: id }, { field });
  if (type === 'owner') return;
  if (type === 'mail') {
    checkedEmail(address, 'address');
    return;
  }
  if (!/^https?:\/\//i.test(address) || !accepts(address)) throw invalid('address');
  if (type === 'robot' && dialect === null) throw invalid('dialect');
}

/** What of a robot's address may be shown: the rest is its credential. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : '';
}

function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : '';
}
