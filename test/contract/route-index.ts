/**
 * Who may call what: management-api.md 3.20, one line an address, with what was added since. A route that is registered
 * and not listed here, or listed with another level, fails the guard test.
 */
const index = {
  P: `GET /api/setup · POST /api/setup · GET /api/status · GET /api/status/proof · GET /api/notice · GET /api/about · GET /api/home_page_content ·
      GET /api/hello · GET /api/verification · GET /api/reset_password · POST /api/user/reset · GET /api/oauth/state ·
      GET /api/oauth/github · GET /api/oauth/oidc · GET /api/oauth/linuxdo · GET /api/oauth/wechat ·
      GET /api/oauth/telegram/login · POST /api/user/register · POST /api/user/login · POST /api/user/login/2fa · POST /api/user/login/2fa/passkey · POST /api/user/login/passkey ·
      POST /api/user/login/passkey/options · POST /api/cli/device · POST /api/cli/token · GET /api/user/logout ·
      POST /api/user/logout · GET /api/user/epay/notify · POST /api/user/epay/notify · GET /api/ratio_config`,
  O: 'GET /api/pricing · GET /api/user/groups · GET /api/openapi.json · GET /api/reference',
  U: `GET /api/oauth/wechat/bind · POST /api/oauth/wechat/bind · GET /api/oauth/email/bind · POST /api/oauth/email/bind ·
      GET /api/oauth/telegram/bind · POST /api/oauth/telegram/bind · GET /api/user/self · PUT /api/user/self ·
      DELETE /api/user/self · GET /api/user/self/groups · GET /api/user/models · GET /api/user/available_models ·
      GET /api/user/token · POST /api/user/token · GET /api/user/aff · POST /api/user/aff_transfer ·
      PUT /api/user/setting · GET /api/user/check_in_status · POST /api/user/check_in · GET /api/user/checkin ·
      POST /api/user/checkin · POST /api/user/topup · POST /api/user/amount · POST /api/user/pay ·
      GET /api/user/topup/self · GET /api/models · GET /api/token · POST /api/token · PUT /api/token ·
      GET /api/token/search · GET /api/token/:id · DELETE /api/token/:id · GET /api/token/:id/key ·
      POST /api/token/:id/key · POST /api/token/batch · GET /api/log/self · GET /api/log/self/stat ·
      GET /api/log/self/search · GET /api/data/self · GET /api/mj/self · GET /api/task/self ·
      POST /api/user/setting/test · GET /api/session · DELETE /api/session · DELETE /api/session/:session · POST /api/user/step_up · POST /api/user/step_up/passkey · GET /api/user/passkey · POST /api/user/passkey · POST /api/user/passkey/options ·
      PUT /api/user/passkey/:id · DELETE /api/user/passkey/:id · GET /api/user/2fa · POST /api/user/2fa ·
      DELETE /api/user/2fa · POST /api/user/2fa/enable · POST /api/user/2fa/recovery_codes · GET /api/log/self/export ·
      GET /api/usage/report/self · GET /api/events/self · GET /api/limit · PUT /api/limit · DELETE /api/limit · GET /api/budget ·
      PUT /api/budget · DELETE /api/budget · GET /api/user/credential · GET /api/search · GET /api/machine_token ·
      POST /api/machine_token · POST /api/machine_token/:id/rotate · DELETE /api/machine_token/:id ·
      POST /api/cli/authorize · POST /api/cli/device/find · POST /api/cli/device/approve · POST /api/cli/device/deny`,
  A: `GET /api/status/test · GET /api/user · POST /api/user · PUT /api/user · GET /api/user/search · GET /api/user/:id ·
      DELETE /api/user/:id · POST /api/user/manage · POST /api/user/:id/2fa/reset · GET /api/user/topup · POST /api/user/topup/complete ·
      GET /api/user/topup/export · GET /api/user/topup/:trade_no · POST /api/user/topup/:trade_no/query · POST /api/user/topup/self_test ·
      GET /api/option · PUT /api/option · POST /api/option/rest_model_ratio · GET /api/price · PUT /api/price · GET /api/price/version · GET /api/price/diff · POST /api/price/rollback · POST /api/price/sync · POST /api/price/rerate · GET /api/rate_rule · POST /api/rate_rule · DELETE /api/rate_rule/:id · GET /api/state/export · POST /api/state/plan · POST /api/state/apply · GET /api/state/set · GET /api/state/set/:name · DELETE /api/state/set/:name ·
      GET /api/channel · POST /api/channel ·
      PUT /api/channel · GET /api/channel/search · GET /api/channel/models · GET /api/channel/models_enabled ·
      GET /api/channel/:id · DELETE /api/channel/:id · POST /api/channel/:id/key · POST /api/channel/:id/status ·
      POST /api/channel/copy/:id · GET /api/channel/test · GET /api/channel/test/:id · GET /api/channel/update_balance ·
      GET /api/channel/update_balance/:id · DELETE /api/channel/disabled · GET /api/channel/tags · POST /api/channel/tag/enabled ·
      POST /api/channel/tag/disabled · PUT /api/channel/tag · POST /api/channel/batch · POST /api/channel/batch/tag ·
      POST /api/channel/fix · POST /api/channel/fetch_models · GET /api/channel/fetch_models/:id · GET /api/redemption ·
      POST /api/redemption · PUT /api/redemption · GET /api/redemption/search · GET /api/redemption/batches · GET /api/redemption/export · GET /api/redemption/:id/uses · GET /api/redemption/count-by-name ·
      DELETE /api/redemption/delete-by-name · PUT /api/redemption/batch-disable ·
      DELETE /api/redemption/delete-disabled · GET /api/redemption/:id · DELETE /api/redemption/:id · GET /api/log ·
      DELETE /api/log · GET /api/log/stat · GET /api/log/search · GET /api/data · GET /api/group · GET /api/mj ·
      GET /api/task · GET /api/log/export · POST /api/channel/explain · POST /api/channel/override/preview ·
      GET /api/channel/:id/tests · GET /api/channel/:id/keys ·
      POST /api/channel/:id/keys · PUT /api/channel/:id/keys/:key_hash · DELETE /api/channel/:id/keys/:key_hash ·
      POST /api/channel/:id/keys/test · POST /api/channel/:id/keys/batch · DELETE /api/channel/:id/cooling · POST /api/channel/:id/model ·
      POST /api/channel/test · GET /api/channel/test/run · GET /api/channel/export · POST /api/channel/import · GET /api/audit · GET /api/audit/verify ·
      GET /api/audit/export · GET /api/usage/report · GET /api/channel/:id/usage · GET /api/data/site · GET /api/node ·
      GET /api/system · GET /api/system/check · GET /api/system/self_test · GET /api/system/latency · GET /api/events`,
  R: 'GET /api/alert · PUT /api/alert · POST /api/alert/test · POST /api/mail/test',
  KR: `GET /api/usage/token · GET /api/log/token · GET /dashboard/billing/subscription ·
      GET /v1/dashboard/billing/subscription · GET /hf/v1/dashboard/billing/subscription ·
      GET /dashboard/billing/usage · GET /v1/dashboard/billing/usage · GET /hf/v1/dashboard/billing/usage`,
} as const;

const accessOf = { P: 'public', O: 'optional', U: 'user', A: 'admin', R: 'root', KR: 'key-read' } as const;

/** `METHOD path` without trailing slash, to its access. */
export const routeIndex: ReadonlyMap<string, string> = new Map(
  Object.entries(index).flatMap(([level, lines]) =>
    lines.split('·').map((line): [string, string] => [line.trim(), accessOf[isLevel(level) ? level : 'P']]),
  ),
);

function isLevel(text: string): text is keyof typeof accessOf {
  return text in accessOf;
}
