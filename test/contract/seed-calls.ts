/**
 * Every call that the three product descriptions name (seeds 000, 001, 002, their section 7), by area. `at` is text and
 * line of each mention. A suite per area goes through its calls; a call without an exercise does not compile.
 */
export interface SeedCall {
  readonly call: string;
  readonly at: readonly string[];
}

export const accountCalls = [
  { call: 'POST /api/user/login', at: ['000:144'] },
  { call: 'GET /api/verification', at: ['000:146'] },
  { call: 'POST /api/user/register', at: ['000:145'] },
  { call: 'GET /api/user/self', at: ['000:131', '001:118'] },
  { call: 'PUT /api/user/self', at: ['000:133'] },
  { call: 'GET /api/user/models', at: ['000:135', '001:106', '002:213'] },
  { call: 'GET /api/user/self/groups', at: ['001:106', '002:214'] },
  { call: 'GET /api/user/token', at: ['000:136'] },
  { call: 'GET /api/user/aff', at: ['000:137'] },
  { call: 'POST /api/user/aff_transfer', at: ['000:138'] },
  { call: 'GET /api/user/check_in_status', at: ['000:141'] },
  { call: 'POST /api/user/check_in', at: ['000:142'] },
  { call: 'PUT /api/user/setting', at: ['000:143'] },
  { call: 'GET /api/oauth/state', at: ['000:147'] },
  { call: 'GET /api/oauth/{type}', at: ['002:216'] },
  { call: 'GET /api/oauth/wechat', at: ['000:148'] },
  { call: 'GET /api/oauth/wechat/bind', at: ['000:149'] },
  { call: 'GET /api/oauth/email/bind', at: ['000:150'] },
  { call: '/api/oauth/telegram/bind', at: ['000:152'] },
  { call: 'GET /api/oauth/telegram/login', at: ['000:151'] },
  { call: 'GET /api/reset_password', at: ['001:102'] },
  { call: 'POST /api/user/reset', at: ['001:103'] },
  { call: 'GET /api/user/logout', at: ['000:140', '002:220'] },
  { call: 'DELETE /api/user/self', at: ['000:139'] },
] as const satisfies readonly SeedCall[];

export const administrationCalls = [
  { call: 'POST /api/user/', at: ['000:130'] },
  { call: 'GET /api/user/', at: ['000:127'] },
  { call: 'GET /api/user/search', at: ['000:128'] },
  { call: 'GET /api/user/{id}', at: ['000:131', '002:206'] },
  { call: 'PUT /api/user/', at: ['000:132'] },
  { call: 'POST /api/user/manage', at: ['000:129'] },
  { call: 'GET /api/group/', at: ['000:134', '001:92'] },
  { call: 'GET /api/models', at: ['000:153'] },
  { call: 'GET /api/option/', at: ['000:154', '001:88'] },
  { call: 'PUT /api/option/', at: ['000:155', '001:87'] },
  { call: 'POST /api/option/rest_model_ratio', at: ['001:89'] },
  { call: 'POST /api/redemption/', at: ['001:112'] },
  { call: 'GET /api/redemption/', at: ['001:111'] },
  { call: 'GET /api/redemption/search', at: ['001:111'] },
  { call: 'GET /api/redemption/{id}', at: ['001:111'] },
  { call: 'PUT /api/redemption/', at: ['001:113'] },
  { call: 'PUT /api/redemption/?status_only=true', at: ['001:113'] },
  { call: 'PUT /api/redemption/batch-disable', at: ['001:114'] },
  { call: 'GET /api/redemption/count-by-name', at: ['001:115'] },
  { call: 'DELETE /api/redemption/{id}', at: ['001:113'] },
  { call: 'DELETE /api/redemption/delete-disabled', at: ['001:114'] },
  { call: 'DELETE /api/redemption/delete-by-name', at: ['001:115'] },
] as const satisfies readonly SeedCall[];

export const channelCalls = [
  { call: 'POST /api/channel/', at: ['001:94'] },
  { call: 'GET /api/channel/', at: ['001:95'] },
  { call: 'GET /api/channel/search', at: ['001:95'] },
  { call: 'GET /api/channel/{id}', at: ['001:94'] },
  { call: 'PUT /api/channel/', at: ['001:94'] },
  { call: 'GET /api/channel/models', at: ['001:92'] },
  { call: 'GET /api/channel/models_enabled', at: ['001:92'] },
  { call: 'POST /api/channel/fetch_models', at: ['001:93'] },
  { call: 'GET /api/channel/fetch_models/{id}', at: ['001:93'] },
  { call: 'GET /api/channel/test/{id}', at: ['001:96'] },
  { call: 'GET /api/channel/test', at: ['001:96'] },
  { call: 'GET /api/channel/update_balance/{id}', at: ['001:97'] },
  { call: 'GET /api/channel/update_balance', at: ['001:97'] },
  { call: 'POST /api/channel/batch/tag', at: ['001:98'] },
  { call: 'PUT /api/channel/tag', at: ['001:99'] },
  { call: 'POST /api/channel/tag/disabled', at: ['001:99'] },
  { call: 'POST /api/channel/tag/enabled', at: ['001:99'] },
  { call: 'POST /api/channel/fix', at: ['001:98'] },
  { call: 'DELETE /api/channel/{id}', at: ['001:94'] },
  { call: 'POST /api/channel/batch', at: ['001:98'] },
  { call: 'DELETE /api/channel/disabled', at: ['001:98'] },
] as const satisfies readonly SeedCall[];

export const useCalls = [
  { call: 'GET /api/setup', at: ['002:217'] },
  { call: 'POST /api/setup', at: ['002:218'] },
  { call: 'GET /api/status', at: ['002:219'] },
  { call: 'GET /api/pricing', at: ['002:212'] },
  { call: 'POST /api/token/', at: ['001:108'] },
  { call: 'GET /api/token/', at: ['001:107', '002:207'] },
  { call: 'GET /api/token/search', at: ['001:107'] },
  { call: 'GET /api/token/{id}', at: ['001:107'] },
  { call: 'PUT /api/token/', at: ['001:108'] },
  { call: 'PUT /api/token/?status_only=true', at: ['001:108'] },
  { call: 'POST /pg/chat/completions', at: ['002:215'] },
  { call: 'POST /api/user/topup', at: ['001:119'] },
  { call: 'POST /api/user/amount', at: ['001:120'] },
  { call: 'POST /api/user/pay', at: ['001:121'] },
  { call: 'GET /api/log/', at: ['002:203'] },
  { call: 'GET /api/log/self', at: ['002:204'] },
  { call: 'GET /api/log/stat', at: ['002:205'] },
  { call: 'GET /api/log/self/stat', at: ['002:205'] },
  { call: 'DELETE /api/log/', at: ['000:156'] },
  { call: 'DELETE /api/token/{id}', at: ['001:108'] },
] as const satisfies readonly SeedCall[];

export const laterCalls = [
  { call: 'GET /api/mj/', at: ['002:208'] },
  { call: 'GET /api/mj/self', at: ['002:209'] },
  { call: 'GET /api/task/', at: ['002:210'] },
  { call: 'GET /api/task/self', at: ['002:211'] },
] as const satisfies readonly SeedCall[];
