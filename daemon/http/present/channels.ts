/** Channels as administrators see them. */
import type { ChannelView } from '../../contract/channels.ts';
import type { ChannelRecord } from '../../store/channels.ts';

/** What stands in the wire row beside the columns. */
export interface ChannelBeside {
  /** Seconds until the channel may be asked again; 0 = now. */
  readonly cooling: number;
  readonly keyCounts: { readonly total: number; readonly enabled: number };
  /** The joined keys where an answer may hold them; absent everywhere else. */
  readonly key?: string;
}

export function presentChannel(record: ChannelRecord, { cooling, keyCounts, key = '' }: ChannelBeside): ChannelView {
  return {
    id: record.id,
    type: record.type,
    key,
    openai_organization: record.openaiOrganization,
    test_model: record.testModel,
    status: record.status,
    name: record.name,
    weight: record.weight ?? 0,
    created_time: record.createdTime,
    test_time: record.testTime,
    response_time: record.responseTime,
    base_url: record.baseUrl ?? '',
    other: record.other,
    balance: record.balance,
    balance_updated_time: record.balanceUpdatedTime,
    models: record.models,
    group: record.group,
    used_quota: record.usedQuota,
    // Clients parse these members as text, so a missing one leaves as "".
    model_mapping: record.modelMapping ?? '',
    status_code_mapping: record.statusCodeMapping ?? '',
    max_input_tokens: record.maxInputTokens ?? 0,
    priority: record.priority ?? 0,
    auto_ban: record.autoBan ?? 1,
    other_info: record.otherInfo,
    cooling,
    keys_total: keyCounts.total,
    keys_enabled: keyCounts.enabled,
    tag: record.tag,
    setting: record.setting ?? '',
    param_override: record.paramOverride ?? '',
    model_prefix: record.modelPrefix ?? '',
  };
}
