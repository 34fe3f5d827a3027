/**
 * What the process tells its caller (spec: cli.md 1.5). A table by code, then by kind; never by text.
 */
import type { ErrorKind } from '../daemon/contract/error-codes.ts';

export const exitCodes = {
  /** Done; also an empty list, help, and a reader that closed the pipe. */
  done: 0,
  /** Refused or failed, and no closer code fits. */
  failed: 1,
  /** The check ran and its answer is no. */
  no: 2,
  /** Unknown command or flag, bad or missing value, or nobody to ask. */
  usage: 3,
  /** Not signed in, or the token is unknown, expired or revoked. */
  notSignedIn: 4,
  /** Signed in, but role or scope is too small. */
  forbidden: 5,
  notFound: 6,
  conflict: 7,
  /** A wait ran out; the work may go on. */
  waitedTooLong: 8,
  rateLimited: 9,
  /** The server was not reached or is not able to answer. */
  unavailable: 10,
  /** Some of several items failed. */
  partial: 11,
  /** A local file, disk or configuration is at fault. */
  local: 12,
  /** A bug here, or an answer that breaks the contract. */
  bug: 70,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const byKind: Readonly<Record<ErrorKind, ExitCode>> = {
  refusal: exitCodes.failed,
  upstream: exitCodes.failed,
  'too-large': exitCodes.failed,
  cancelled: exitCodes.failed,
  unauthenticated: exitCodes.notSignedIn,
  forbidden: exitCodes.forbidden,
  'not-found': exitCodes.notFound,
  conflict: exitCodes.conflict,
  'rate-limited': exitCodes.rateLimited,
  unavailable: exitCodes.unavailable,
  bug: exitCodes.bug,
};

/** Codes whose meaning for a script is closer than their kind says. */
const byCode: Readonly<Record<string, ExitCode>> = {
  invalid_json: exitCodes.usage,
  invalid_params: exitCodes.usage,
  invalid_input: exitCodes.usage,
  username_invalid: exitCodes.usage,
  password_invalid: exitCodes.usage,
  password_mismatch: exitCodes.usage,
  setup_username_invalid: exitCodes.usage,
  setup_password_short: exitCodes.usage,
  email_invalid: exitCodes.usage,
  group_unknown: exitCodes.usage,
  option_invalid: exitCodes.usage,
  option_unknown: exitCodes.notFound,
  channel_name_required: exitCodes.usage,
  channel_base_url_refused: exitCodes.usage,
  channel_ids_required: exitCodes.usage,
  channel_rule_invalid: exitCodes.usage,
  channel_setting_invalid: exitCodes.usage,
  channel_tag_required: exitCodes.usage,
  channel_import_csv: exitCodes.usage,
  channel_import_empty: exitCodes.usage,
  channel_import_invalid: exitCodes.usage,
  channel_import_member: exitCodes.usage,
  channel_import_twice: exitCodes.usage,
  channel_import_ambiguous: exitCodes.conflict,
  channel_key_required: exitCodes.usage,
  channel_keys_too_many: exitCodes.usage,
  channel_key_cap_invalid: exitCodes.usage,
  channel_key_last: exitCodes.usage,
  channel_key_not_found: exitCodes.notFound,
  budget_not_found: exitCodes.notFound,
  limit_not_found: exitCodes.notFound,
  channel_endpoint_unknown: exitCodes.usage,
  channel_model_unknown: exitCodes.notFound,
  channel_models_required: exitCodes.usage,
  channel_model_too_long: exitCodes.usage,
  channel_json_invalid: exitCodes.usage,
  channel_region_required: exitCodes.usage,
  channel_region_default: exitCodes.usage,
  channel_type_unknown: exitCodes.usage,
  channel_group_required: exitCodes.usage,
  channel_priority_invalid: exitCodes.usage,
  channel_weight_invalid: exitCodes.usage,
  channel_status_invalid: exitCodes.usage,
  channel_test_failed: exitCodes.no,
  channel_test_running: exitCodes.conflict,
  channel_key_hidden: exitCodes.forbidden,
  token_name_required: exitCodes.usage,
  token_ids_required: exitCodes.usage,
  token_status_invalid: exitCodes.usage,
  token_threshold_invalid: exitCodes.usage,
  token_name_long: exitCodes.usage,
  token_expired_in_past: exitCodes.usage,
  token_quota_invalid: exitCodes.usage,
  token_rate_invalid: exitCodes.usage,
  token_group_refused: exitCodes.usage,
  token_ips_invalid: exitCodes.usage,
  token_mapping_circular: exitCodes.usage,
  token_mapping_invalid: exitCodes.usage,
  token_mapping_name_invalid: exitCodes.usage,
  token_key_hidden: exitCodes.forbidden,
  redemption_name_invalid: exitCodes.usage,
  redemption_ids_required: exitCodes.usage,
  redemption_name_required: exitCodes.usage,
  redeem_empty: exitCodes.usage,
  redemption_count_invalid: exitCodes.usage,
  redemption_count_max: exitCodes.usage,
  redemption_quota_invalid: exitCodes.usage,
  redemption_max_uses_invalid: exitCodes.usage,
  redemption_window_invalid: exitCodes.usage,
  redemption_key_invalid: exitCodes.usage,
  redemption_key_taken: exitCodes.conflict,
  report_keys: exitCodes.usage,
  data_span: exitCodes.usage,
  log_cutoff: exitCodes.usage,
  aff_min: exitCodes.usage,
  pay_low: exitCodes.usage,
  pay_min: exitCodes.usage,
  price_source_unknown: exitCodes.usage,
  passkey_name_invalid: exitCodes.usage,
  machine_token_expiry_invalid: exitCodes.usage,
  authorization_expired: exitCodes.waitedTooLong,
  idempotency_conflict: exitCodes.conflict,
  state_option_elsewhere: exitCodes.usage,
  state_option_unknown: exitCodes.usage,
  state_secret_inline: exitCodes.usage,
  state_twice: exitCodes.usage,
  state_fields_clash: exitCodes.usage,
  state_value_invalid: exitCodes.usage,
  username_taken: exitCodes.conflict,
  notice_failed: exitCodes.no,
  notice_nowhere: exitCodes.usage,
  notify_type_invalid: exitCodes.usage,
  threshold_invalid: exitCodes.usage,
  webhook_invalid: exitCodes.usage,
  email_required: exitCodes.usage,
  email_domain_refused: exitCodes.usage,
  email_alias_refused: exitCodes.usage,
  alert_rule_invalid: exitCodes.usage,
  alert_rule_unread: exitCodes.usage,
  alert_target_invalid: exitCodes.usage,
  backup_damaged: exitCodes.no,
  backup_passphrase_missing: exitCodes.usage,
  backup_passphrase_wrong: exitCodes.usage,
  copy_differs: exitCodes.no,
  database_missing: exitCodes.local,
  secret_differs: exitCodes.local,
  secret_missing: exitCodes.local,
  import_address_invalid: exitCodes.usage,
  import_source_own: exitCodes.local,
  import_source_unknown: exitCodes.local,
  import_source_unreadable: exitCodes.local,
  import_source_unreached: exitCodes.local,
  schema_older: exitCodes.local,
  rescue_no_root: exitCodes.notFound,
  data_dir_in_use: exitCodes.local,
  schema_newer: exitCodes.local,
  setup_done: exitCodes.conflict,
  user_disabled: exitCodes.forbidden,
  auth_required: exitCodes.notSignedIn,
  access_token_invalid: exitCodes.notSignedIn,
  session_expired: exitCodes.notSignedIn,
  login_failed: exitCodes.notSignedIn,
  user_same_level: exitCodes.forbidden,
  user_root_protected: exitCodes.forbidden,
  user_promote_root_only: exitCodes.forbidden,
  user_not_found: exitCodes.notFound,
  channel_not_found: exitCodes.notFound,
  token_not_found: exitCodes.notFound,
  redemption_not_found: exitCodes.notFound,
  order_not_found: exitCodes.notFound,
};

/** Exit code of an error the server named. */
export function exitCodeOf(code: string, kind: ErrorKind | undefined): ExitCode {
  return byCode[code] ?? (kind === undefined ? exitCodes.failed : byKind[kind]);
}

const byStatus: Readonly<Record<number, ExitCode>> = {
  401: exitCodes.notSignedIn,
  403: exitCodes.forbidden,
  404: exitCodes.notFound,
  429: exitCodes.rateLimited,
  502: exitCodes.unavailable,
  503: exitCodes.unavailable,
  504: exitCodes.unavailable,
};

/** Exit code of an answer that names no code: what stands before the server speaks so. */
export function exitCodeOfStatus(status: number): ExitCode | undefined {
  return byStatus[status];
}
