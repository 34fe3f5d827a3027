/** What to do about refusals that concern one kind of record, by error code; `hints.ts` has those of every command. */
import { type Bilingual, both } from '../language.ts';

/** A command line, the same in both languages. */
const run = (line: string): Bilingual => both(`tollgate ${line}`, `tollgate ${line}`);

const channels: Readonly<Record<string, Bilingual>> = {
  channel_balance_failed: run('channel test CHANNEL'),
  channel_balance_unsupported: run('channel types'),
  channel_base_url_refused: both(
    'use a public address, or let security.egress_allow of config.yaml have it',
    '请使用公网地址，或在 config.yaml 的 security.egress_allow 中允许',
  ),
  channel_fetch_failed: both(
    'check address and key: tollgate channel get CHANNEL; or name the models with --models',
    '请检查地址与密钥：tollgate channel get CHANNEL；或用 --models 指定模型',
  ),
  channel_json_invalid: run('help channel-rules'),
  channel_rule_invalid: run('help channel-rules'),
  channel_setting_invalid: run('help channel-settings'),
  channel_test_running: run('channel test --server --wait'),
  channel_test_unsupported: both('name another with --model', '请用 --model 指定其他模型'),
};

const accounts: Readonly<Record<string, Bilingual>> = {
  access_token_not_supported: both(
    'sign in with the password: --password-stdin',
    '请使用密码登录后操作：--password-stdin',
  ),
  authorization_pending: run('login --device'),
  email_taken: both('use another address', '请换一个邮箱地址'),
  oauth_exchange: both(
    'begin again in the console: tollgate open personal',
    '请在控制台重新开始：tollgate open personal',
  ),
  oauth_off: run('account bind list'),
  oauth_taken: run('account bind list'),
  oauth_unbound: run('account bind list'),
  passkey_refused: run('account passkey list'),
  password_login_off: both(
    'tollgate login --web, or beside the daemon: tollgate rescue password-login',
    'tollgate login --web，或在服务器上运行 tollgate rescue password-login',
  ),
  password_register_off: run('open'),
  quota_negative: run('user get USER'),
  register_off: both('ask an administrator: tollgate user create', '请联系管理员：tollgate user create'),
  scope_beyond_role: run('whoami'),
  slow_down: run('login --device'),
  user_already_admin: run('user get USER'),
  user_already_common: run('user get USER'),
  user_deleted_readonly: run('user list --status deleted'),
  user_gone: run('login'),
  // The program sends that header by itself: another version of it is needed.
  user_header_malformed: run('version --check'),
  user_header_mismatch: run('version --check'),
  user_header_missing: run('version --check'),
  user_promote_root_only: run('whoami'),
  user_root_protected: run('whoami'),
  user_same_level: run('whoami'),
};

const keys: Readonly<Record<string, Bilingual>> = {
  token_cannot_enable_exhausted: run('token edit TOKEN --quota 5usd'),
  token_cannot_enable_expired: run('token edit TOKEN --expires 30d'),
  token_limit_reached: run('token delete TOKEN'),
  budget_not_found: run('budget list'),
  limit_not_found: run('limit list'),
};

const money: Readonly<Record<string, Bilingual>> = {
  aff_short: run('invite get'),
  checkin_config: both(
    'an administrator sets the reward: tollgate option list --section quota',
    '请管理员设置奖励：tollgate option list --section quota',
  ),
  checkin_done: run('checkin --status'),
  checkin_off: run('checkin --status'),
  gift_exhausted: both('ask for another code', '请换一个兑换码'),
  gift_repeat: run('wallet get'),
  mail_failed: run('mail test'),
  order_closed: run('order get TRADE_NO'),
  pay_failed: run('wallet orders'),
  price_rise_exceeded: both('look with --dry-run, then raise --max-rise', '先用 --dry-run 查看，再提高 --max-rise'),
  price_source_failed: both('fetch it yourself and name the file', '请自行下载后指定文件'),
  price_source_unknown: run('price sync --formats'),
  price_version_not_found: run('price history'),
  rate_rule_changed: run('rate-rule list'),
  rate_rule_not_found: run('rate-rule list'),
  rate_rules_full: run('rate-rule delete ID'),
  ratio_hidden: run('option get ExposeRatioEnabled'),
  redeem_expired: both('ask for another code', '请换一个兑换码'),
  redeem_invalid: both('type the code as it was given', '请按原样输入兑换码'),
  redeem_not_yet: both('try again when it is valid', '请在生效后重试'),
  redeem_used: both('ask for another code', '请换一个兑换码'),
  redemption_key_taken: both('choose another --key', '请换一个 --key'),
  redemption_used_readonly: run('redemption get CODE'),
};

const states: Readonly<Record<string, Bilingual>> = {
  state_adopt: both('add --adopt if that is meant', '如确需接管，请加上 --adopt'),
  state_channel_ambiguous: both('name the channel with id: in the document', '请在文档中用 id: 指明渠道'),
  state_channel_unknown: run('channel list'),
  state_deletes: both('add --max-deletes if that is meant', '如确需删除，请加上 --max-deletes'),
  state_group_default: both('keep default in the document', '请在文档中保留 default'),
  state_group_empty: both(
    'leave a channel in the group, or delete the group too',
    '请为该分组保留渠道，或一并删除分组',
  ),
  state_owned: both('add --take-over if that is meant', '如确需接管，请加上 --take-over'),
  state_plan_stale: run('diff -f STATE'),
  state_price_kind: both('add --change-kind if that is meant', '如确需更改，请加上 --change-kind'),
  state_price_rise: both('add --max-price-rise if that is meant', '如确需涨价，请加上 --max-price-rise'),
  state_root_needed: both('sign in as the super administrator: tollgate login', '请以超级管理员登录：tollgate login'),
  state_set_not_found: run('state sets'),
};

const server: Readonly<Record<string, Bilingual>> = {
  busy: both('run it again in a moment', '请稍后重试'),
  event_streams_full: both('end another tollgate log list -f or ui', '请先结束其他 tollgate log list -f 或 ui'),
  shutting_down: both('run it again in a moment', '请稍后重试'),
};

/** Texts by code. */
export const recordHints: Readonly<Record<string, Bilingual>> = {
  ...channels,
  ...accounts,
  ...keys,
  ...money,
  ...states,
  ...server,
};
