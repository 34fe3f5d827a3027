/** Fields of rows by endpoint, known without a schema. Made by test/cli/field-names.test.ts. */
export const fieldNames: Readonly<Record<string, string>> = {
  'account.get':
    'id username display_name role status group email github_id oidc_id wechat_id telegram_id linux_do_id quota used_quota request_count aff_code aff_count aff_quota aff_history_quota inviter_id setting last_check_in_time DeletedAt has_password client_ip',
  'audits.list': 'id created_at actor_id actor_name ip action target detail request_id user_agent prev_hash hash',
  'audits.verify': 'intact rows first_broken missing head',
  'budgets.list': 'on name kind per limit used resets_at',
  'budgets.set': 'on name kind per limit used resets_at',
  'channels.keys':
    'id key_hash position tail status reason status_time last_error last_used cool_until cap tpm concurrency',
  'channels.list':
    'id type openai_organization test_model status name weight created_time test_time response_time base_url other balance balance_updated_time models group used_quota model_mapping status_code_mapping max_input_tokens priority auto_ban other_info cooling keys_total keys_enabled tag setting param_override model_prefix',
  'channels.tests': 'id model created_at ok time_ms status message actor_id',
  'logs.list':
    'id user_id created_at type content username token_name model_name quota prompt_tokens completion_tokens use_time is_stream channel channel_name token_id group other request_id failed ip cost',
  'logs.listByKey':
    'id user_id created_at type content username token_name model_name quota prompt_tokens completion_tokens use_time is_stream channel channel_name token_id group other request_id failed ip cost',
  'orders.get':
    'id trade_no amount quota money currency provider payment_method create_time complete_time status user_id username callbacks',
  'orders.list':
    'id trade_no amount quota money currency provider payment_method create_time complete_time status user_id username callbacks',
  'orders.query': 'trade_no found paid provider_trade_no money money_matches',
  'orders.selfTest': 'callback_url configured missing reachable reason status time',
  'passkeys.list': 'id name created_at last_used_at synced',
  'passkeys.rename': 'id name created_at last_used_at synced',
  'prices.list':
    'model_name enabled channels groups quota_type model_ratio completion_ratio cache_ratio create_cache_ratio audio_ratio audio_completion_ratio image_ratio image_completion_ratio model_price',
  'redemptions.batches': 'name codes unused disabled used used_count least_quota most_quota created_time',
  'redemptions.get':
    'id user_id key status name quota created_time redeemed_time used_user_id is_gift max_uses used_count valid_from valid_until count DeletedAt',
  'redemptions.list':
    'id user_id key status name quota created_time redeemed_time used_user_id is_gift max_uses used_count valid_from valid_until count DeletedAt',
  'redemptions.uses': 'user_id username used_time quota',
  'search.find': 'kind id name',
  'sessions.list': 'id current ip user_agent created_at last_seen_at expires_at',
  'system.latency': 'channel name model answered failed duration first_token errors',
  'system.nodes':
    'id address version started_at heartbeat_at alive role revision lag running calls_per_second open_holds lost_texts redis memory_bytes cpu_percent loop_delay_ms jobs',
  'tokens.get':
    'id user_id key status name created_time accessed_time expired_time remain_quota used_quota unlimited_quota model_limits_enabled model_limits model_mapping allow_ips group conversion quota_warning_threshold rpm_limit tpm_limit concurrency_limit DeletedAt',
  'usageReports.report':
    'time user_id username model_name channel channel_name token_name group requests failures quota prompt_tokens completion_tokens cached_tokens cost',
  'usageReports.site':
    'requests failures quota prompt_tokens completion_tokens cached_tokens cost active_users users new_users topped_up paid_orders',
  'users.get':
    'id username display_name role status group email github_id oidc_id wechat_id telegram_id linux_do_id quota used_quota request_count aff_code aff_count aff_quota aff_history_quota inviter_id setting last_check_in_time DeletedAt token_count notes',
  'users.list':
    'id username display_name role status group email github_id oidc_id wechat_id telegram_id linux_do_id quota used_quota request_count aff_code aff_count aff_quota aff_history_quota inviter_id setting last_check_in_time DeletedAt',
  'wallet.orders': 'id trade_no amount quota money currency provider payment_method create_time complete_time status',
  'works.drawings':
    'id created_at code user_id action mj_id prompt prompt_en description state submit_time start_time finish_time image_url status progress fail_reason channel_id quota bot_type custom_id video_url video_urls buttons properties',
  'works.tasks':
    'id created_at updated_at task_id platform user_id channel_id quota action status fail_reason submit_time start_time finish_time progress properties data',
};
