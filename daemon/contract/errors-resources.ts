/** Codes of channels, relay keys, redemption codes, options and the other resources (management-api.md 1.8). */
import { define } from './error-entry.ts';

export const resourceErrors = define({
  // Check-in, invites, codes, payment.
  aff_min: { kind: 'refusal', en: 'At least {min} must be moved', zh: '最少需要划转 {min}' },
  aff_short: { kind: 'refusal', en: 'Not enough invite earnings', zh: '邀请额度不足' },
  checkin_config: { kind: 'refusal', en: 'Check-in quota is not configured', zh: '签到额度未正确配置' },
  checkin_done: { kind: 'conflict', en: 'You have already checked in today', zh: '你今天已经签到过' },
  checkin_off: { kind: 'refusal', en: 'Check-in is switched off', zh: '未启用签到' },
  gift_exhausted: { kind: 'refusal', en: 'Gift code used up', zh: '礼品码已用完' },
  gift_repeat: { kind: 'conflict', en: 'You have used this gift code before', zh: '你已使用过该礼品码' },
  order_closed: { kind: 'conflict', en: 'This order was closed', zh: '该订单已关闭' },
  order_completed: { kind: 'conflict', en: 'This order is complete already', zh: '该订单已完成' },
  order_not_found: { kind: 'not-found', en: 'Order not found', zh: '订单不存在' },
  order_query_failed: {
    kind: 'upstream',
    en: 'The payment provider could not be asked',
    zh: '无法查询支付平台',
  },
  pay_failed: { kind: 'refusal', en: 'Payment could not be started', zh: '无法发起支付' },
  pay_low: { kind: 'refusal', en: 'Amount too small', zh: '充值金额过低' },
  pay_min: { kind: 'refusal', en: 'Amount must be at least {min}', zh: '充值数量不能小于 {min}' },
  pay_off: { kind: 'refusal', en: 'Online payment is not configured', zh: '未配置在线支付' },
  redeem_empty: { kind: 'refusal', en: 'Enter a code', zh: '请填写兑换码' },
  redeem_expired: { kind: 'refusal', en: 'Code has expired', zh: '兑换码已过期' },
  redeem_invalid: { kind: 'refusal', en: 'Code not valid', zh: '兑换码无效' },
  redeem_not_yet: { kind: 'refusal', en: 'Code not valid yet', zh: '兑换码尚未生效' },
  redeem_used: { kind: 'conflict', en: 'Code already used', zh: '兑换码已被使用' },
  redemption_count_invalid: { kind: 'refusal', en: 'The number of codes must be at least 1', zh: '兑换码数量至少为 1' },
  redemption_count_max: {
    kind: 'refusal',
    en: 'At most 10,000 codes can be made at once',
    zh: '一次最多生成 10000 个兑换码',
  },
  redemption_ids_required: { kind: 'refusal', en: 'Choose at least one code', zh: '请至少选择一个兑换码' },
  redemption_key_invalid: {
    kind: 'refusal',
    en: 'A code has 4-32 letters, digits, _ or -',
    zh: '兑换码须为 4-32 个字母、数字、_ 或 -',
  },
  redemption_key_taken: { kind: 'conflict', en: 'This code exists already', zh: '该兑换码已存在' },
  redemption_max_uses_invalid: {
    kind: 'refusal',
    en: 'The number of uses must be -1 or at least 1, and not below the uses so far',
    zh: '可用次数须为 -1 或不小于 1，且不少于已使用次数',
  },
  redemption_name_invalid: { kind: 'refusal', en: 'The name needs 1-20 characters', zh: '名称须为 1-20 个字符' },
  redemption_name_required: { kind: 'refusal', en: 'A name is required', zh: '请填写名称' },
  redemption_not_found: { kind: 'not-found', en: 'Code not found', zh: '兑换码不存在' },
  redemption_quota_invalid: {
    kind: 'refusal',
    en: 'The quota must be between 1 and 1,000,000,000,000',
    zh: '额度须在 1 到 1000000000000 之间',
  },
  redemption_used_readonly: { kind: 'conflict', en: 'A used code cannot be changed', zh: '已使用的兑换码不能再修改' },
  redemption_window_invalid: {
    kind: 'refusal',
    en: 'The start of validity must be before its end',
    zh: '生效时间必须早于失效时间',
  },

  // Alerts.
  alert_rule_invalid: {
    kind: 'refusal',
    en: 'The rule {kind} has a value out of range',
    zh: '告警规则 {kind} 的取值有误',
  },
  alert_target_invalid: {
    kind: 'refusal',
    en: 'The alert target {target} is not usable',
    zh: '告警接收方 {target} 不可用',
  },
  alert_target_unknown: {
    kind: 'not-found',
    en: 'There is no alert target {target}',
    zh: '没有名为 {target} 的告警接收方',
  },

  // Options, dashboard, logs.
  data_span: { kind: 'refusal', en: 'Time span is limited to {days} days', zh: '时间跨度不能超过 {days} 天' },
  log_cutoff: {
    kind: 'refusal',
    en: 'A cut-off time in the past is required',
    zh: '需要给出早于当前的截止时间',
  },
  report_keys: {
    kind: 'refusal',
    en: 'A report is summed by up to two of {keys}, of which one may be a time',
    zh: '报表最多按以下两项汇总，其中时间至多一项：{keys}',
  },
  option_dependency: { kind: 'refusal', en: 'Fill in {fields} before enabling this', zh: '启用前请先填写 {fields}' },
  option_invalid: { kind: 'refusal', en: '{key}: {reason}', zh: '{key}：{reason}' },
  option_unknown: { kind: 'refusal', en: 'Unknown option {key}', zh: '未知选项 {key}' },
  price_kind_flip: {
    kind: 'conflict',
    en: '{model} would change between a price by token and one by call',
    zh: '{model} 的计费方式将在按量与按次之间改变',
  },
  ratio_hidden: { kind: 'forbidden', en: 'Ratio exposure is switched off', zh: '未开放倍率查询' },

  // Channels.
  channel_balance_failed: { kind: 'refusal', en: 'The balance could not be read', zh: '余额查询失败' },
  channel_balance_unsupported: {
    kind: 'refusal',
    en: 'This channel type has no balance query',
    zh: '该渠道类型不支持余额查询',
  },
  channel_base_url_refused: { kind: 'refusal', en: 'This base address is not allowed', zh: '不允许使用该接口地址' },
  channel_endpoint_unknown: {
    kind: 'refusal',
    en: 'Nothing is served under {endpoint}',
    zh: '接口 {endpoint} 不存在',
  },
  channel_fetch_failed: {
    kind: 'refusal',
    en: 'The model list could not be read from the upstream',
    zh: '无法从上游获取模型列表',
  },
  channel_group_required: { kind: 'refusal', en: 'Choose at least one group', zh: '请至少选择一个分组' },
  channel_ids_required: { kind: 'refusal', en: 'Choose at least one channel', zh: '请至少选择一个渠道' },
  channel_import_ambiguous: {
    kind: 'refusal',
    en: 'Several channels have the name {name}',
    zh: '存在多个名为 {name} 的渠道',
  },
  channel_import_clash: {
    kind: 'conflict',
    en: 'A channel with the name {name} exists already',
    zh: '已存在名为 {name} 的渠道',
  },
  channel_import_csv: { kind: 'refusal', en: 'This is no CSV with a heading line', zh: '不是带标题行的 CSV' },
  channel_import_empty: { kind: 'refusal', en: 'There is nothing to import', zh: '没有可导入的内容' },
  channel_import_invalid: {
    kind: 'refusal',
    en: '{count} rows cannot be imported, so nothing was; the first is row {row}, {member}',
    zh: '{count} 行无法导入，未做任何更改；首个为第 {row} 行的 {member}',
  },
  channel_import_member: { kind: 'refusal', en: 'Channels have no member {member}', zh: '渠道没有字段 {member}' },
  channel_import_twice: {
    kind: 'refusal',
    en: 'The file names {name} more than once',
    zh: '文件中多次出现 {name}',
  },
  channel_json_invalid: { kind: 'refusal', en: '{field} must be a JSON object', zh: '{field} 须为 JSON 对象' },
  channel_key_cap_invalid: {
    kind: 'refusal',
    en: 'The cap of a key is a whole number of requests a minute, 0 for none',
    zh: '密钥上限须为每分钟请求数（整数），0 表示不限',
  },
  channel_key_hidden: {
    kind: 'forbidden',
    en: 'Showing channel keys is switched off',
    zh: '已关闭查看渠道密钥',
    status: { management: 200 },
  },
  channel_key_last: {
    kind: 'refusal',
    en: 'A channel keeps at least one key; disable it, or delete the channel',
    zh: '渠道至少保留一个密钥，可停用该密钥或删除渠道',
  },
  channel_key_not_found: { kind: 'not-found', en: 'The channel has no such key', zh: '渠道没有该密钥' },
  channel_key_required: { kind: 'refusal', en: 'A key is required', zh: '请填写密钥' },
  channel_model_too_long: {
    kind: 'refusal',
    en: 'A model name has at most 255 characters',
    zh: '模型名称不能超过 255 个字符',
  },
  channel_model_unknown: { kind: 'refusal', en: 'The channel does not offer {model}', zh: '该渠道未提供模型 {model}' },
  channel_models_required: { kind: 'refusal', en: 'Choose at least one model', zh: '请至少选择一个模型' },
  channel_name_required: { kind: 'refusal', en: 'A name is required', zh: '请填写名称' },
  channel_not_found: { kind: 'not-found', en: 'Channel not found', zh: '渠道不存在' },
  channel_priority_invalid: {
    kind: 'refusal',
    en: 'The priority must be an integer, at least -999',
    zh: '优先级须为不小于 -999 的整数',
  },
  channel_region_default: {
    kind: 'refusal',
    en: 'The regions need an entry named default',
    zh: '部署地区须包含 default 字段',
  },
  channel_region_required: { kind: 'refusal', en: 'A region is required', zh: '请填写部署地区' },
  channel_status_invalid: { kind: 'refusal', en: 'The status must be 1 or 2', zh: '状态只能为 1 或 2' },
  channel_tag_required: { kind: 'refusal', en: 'A tag is required', zh: '请填写标签' },
  channel_test_failed: { kind: 'refusal', en: 'The test failed: {reason}', zh: '测试失败：{reason}' },
  channel_test_running: { kind: 'conflict', en: 'A test run is under way', zh: '已有测试正在进行' },
  channel_test_unsupported: {
    kind: 'refusal',
    en: 'This channel or model cannot be tested',
    zh: '该渠道或模型不支持测试',
  },
  channel_type_retired: {
    kind: 'refusal',
    en: '{vendor} was switched off by its vendor; use {successor} in its place',
    zh: '{vendor} 已被其供应商停用，请改用 {successor}',
  },
  channel_type_unknown: { kind: 'refusal', en: 'Unknown channel type', zh: '未知的渠道类型' },
  channel_weight_invalid: {
    kind: 'refusal',
    en: 'The weight must be an integer, at least 0',
    zh: '权重须为不小于 0 的整数',
  },

  // Relay keys.
  token_cannot_enable_exhausted: {
    kind: 'refusal',
    en: 'The key has no quota left; raise it first',
    zh: '令牌额度已用尽，请先增加额度',
  },
  token_cannot_enable_expired: {
    kind: 'refusal',
    en: 'The key has expired; change its expiry first',
    zh: '令牌已过期，请先修改过期时间',
  },
  token_expired_in_past: {
    kind: 'refusal',
    en: 'The expiry must be -1 or in the future',
    zh: '过期时间须为 -1 或晚于当前时间',
  },
  token_group_refused: { kind: 'refusal', en: 'You may not use group {group}', zh: '你不能使用分组 {group}' },
  token_ids_required: { kind: 'refusal', en: 'Choose at least one key', zh: '请至少选择一个令牌' },
  token_ips_invalid: {
    kind: 'refusal',
    en: 'Not an address or network: {line}',
    zh: '不是有效的地址或网段：{line}',
  },
  token_key_hidden: {
    kind: 'forbidden',
    en: 'Keys are shown once, when they are created',
    zh: '令牌仅在创建时显示一次',
    status: { management: 200 },
  },
  token_limit_reached: { kind: 'refusal', en: 'At most {max} keys are allowed', zh: '最多只能创建 {max} 个令牌' },
  token_name_long: { kind: 'refusal', en: 'A name has at most 50 characters', zh: '名称不能超过 50 个字符' },
  token_name_required: { kind: 'refusal', en: 'A name is required', zh: '请填写名称' },
  token_not_found: { kind: 'not-found', en: 'Key not found', zh: '令牌不存在' },
  token_quota_invalid: {
    kind: 'refusal',
    en: 'The quota must be a whole number, at least 0',
    zh: '额度须为不小于 0 的整数',
  },
  token_status_invalid: { kind: 'refusal', en: 'The status must be 1 or 2', zh: '状态只能为 1 或 2' },
});
