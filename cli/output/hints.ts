/** The line that says what to do, by error code. Shown last in every report. */
import { type Bilingual, both } from '../language.ts';
import { recordHints } from './record-hints.ts';

const signIn = both('tollgate login', 'tollgate login');

/** Texts by code; what a wrong input has no entry for is told by the help of its command. */
export const hints: Readonly<Record<string, Bilingual>> = {
  ...recordHints,
  auth_required: signIn,
  session_expired: signIn,
  access_token_invalid: both(
    'tollgate login, or set TOLLGATE_ACCESS_TOKEN to a valid token',
    '运行 tollgate login，或把 TOLLGATE_ACCESS_TOKEN 设为有效令牌',
  ),
  machine_token_expired: both(
    'tollgate login, or machine-token create for a job',
    '运行 tollgate login，或用 machine-token create 为任务新建令牌',
  ),
  machine_token_invalid: both(
    'tollgate login, or set TOLLGATE_ACCESS_TOKEN to a valid token',
    '运行 tollgate login，或把 TOLLGATE_ACCESS_TOKEN 设为有效令牌',
  ),
  machine_token_not_found: both('tollgate machine-token list', 'tollgate machine-token list'),
  machine_token_not_supported: both(
    'only the user may do this: in the console, or with an access token',
    '仅限用户本人操作：请使用控制台或系统令牌',
  ),
  state_channel_ambiguous: both('write id: into the channel', '请在渠道中写明 id'),
  state_plan_stale: both('tollgate diff shows what it is now', 'tollgate diff 可查看当前差异'),
  state_set_not_found: both('tollgate state sets', 'tollgate state sets'),
  machine_token_limit: both('tollgate machine-token revoke NAME', 'tollgate machine-token revoke NAME'),
  scope_missing: both('tollgate whoami shows the scopes in use', 'tollgate whoami 可查看当前权限范围'),
  authorization_expired: signIn,
  authorization_denied: both(
    'whoever was asked has said no; sign in anew if it was you',
    '对方已拒绝；若是本人操作，请重新登录',
  ),
  login_failed: both('check the user name and the password', '请检查用户名和密码'),
  passkey_not_found: both('tollgate account passkey list', 'tollgate account passkey list'),
  passkey_limit: both('tollgate account passkey delete PASSKEY', 'tollgate account passkey delete 通行密钥'),
  passkey_off: both('tollgate option set ServerAddress URL', 'tollgate option set ServerAddress URL'),
  step_up_failed: both('check the password or the code', '请检查密码或验证码'),
  step_up_required: both(
    'do this in the console, or with an access token: tollgate account access-token',
    '请在控制台操作，或使用系统令牌：tollgate account access-token',
  ),
  two_factor_code_invalid: both(
    'type the code that the app shows now, or use a recovery code',
    '请输入验证器当前显示的验证码，或使用恢复码',
  ),
  two_factor_off: both('tollgate account 2fa enable', 'tollgate account 2fa enable'),
  two_factor_on: both('tollgate account 2fa status', 'tollgate account 2fa status'),
  two_factor_code_used: both(
    'run it again with the next code, or with a recovery code',
    '请使用下一个验证码或恢复码重新运行',
  ),
  two_factor_required: both(
    'pass the code with --otp, or sign in by passkey with login --web',
    '请用 --otp 传入验证码，或通过 login --web 使用通行密钥登录',
  ),
  two_factor_expired: signIn,
  user_disabled: both('ask an administrator to enable the account', '请联系管理员启用账户'),
  forbidden_role: both(
    'sign in as an administrator, or as root where one is refused: tollgate login',
    '请以管理员身份登录；管理员也被拒绝时需超级管理员：tollgate login',
  ),
  cross_site: both(
    'call it from the console, the command line or a program, not from a page elsewhere',
    '请从控制台、命令行或程序调用，而非其他网站的页面',
  ),
  setup_required: both('tollgate setup', 'tollgate setup'),
  setup_done: both('tollgate login', 'tollgate login'),
  backup_passphrase_missing: both('pass --passphrase env:NAME', '请传入 --passphrase env:变量名'),
  backup_passphrase_wrong: both(
    'pass the passphrase that it was saved with: --passphrase env:NAME',
    '请传入备份时所用的口令：--passphrase env:变量名',
  ),
  database_not_empty: both(
    'choose an empty database; restore --replace removes what is there',
    '请选择空数据库；restore --replace 会清除现有数据',
  ),
  database_missing: both(
    'tollgate config print shows which database is meant',
    '可用 tollgate config print 查看数据库配置',
  ),
  import_source_own: both('tollgate migrate --to ADDRESS', 'tollgate migrate --to ADDRESS'),
  import_source_unknown: both(
    'tollgate import sources lists what is understood',
    '可用 tollgate import sources 查看支持的来源',
  ),
  import_unit_differs: both('tollgate option set QuotaPerUnit UNITS', 'tollgate option set QuotaPerUnit 额度'),
  import_address_invalid: both(
    'a SQLite file, postgres://…, mysql://user:password@host:3306/name?tls=true, or user:password@tcp(host:3306)/name',
    'SQLite 文件、postgres://…、mysql://用户:密码@主机:3306/库名?tls=true，或 用户:密码@tcp(主机:3306)/库名',
  ),
  import_source_unreadable: both(
    'it is a SQLite file, postgres://…, mysql://… or env:NAME; a file with a write-ahead log needs a folder that this user may write to: copy it there with its -wal',
    '来源须为 SQLite 文件、postgres://…、mysql://… 或 env:变量名；使用 WAL 的文件须位于当前用户可写的目录，请连同 -wal 一并复制',
  ),
  import_source_unreached: both(
    'see that its server runs, and that this user may read that database from this machine: postgres://user:password@host:5432/name, mysql://user:password@host:3306/name',
    '请确认数据库服务器已启动，且该用户可从本机读取该数据库：postgres://用户:密码@主机:5432/库名、mysql://用户:密码@主机:3306/库名',
  ),
  schema_older: both('tollgate migrate', 'tollgate migrate'),
  secret_differs: both('run it with the configuration and environment of the daemon', '请使用服务的配置与环境变量运行'),
  secret_missing: both('tollgate doctor --local --only secret', 'tollgate doctor --local --only secret'),
  setup_token_invalid: both(
    'pass the token that the daemon printed at its first start: --setup-token',
    '请用 --setup-token 传入服务首次启动时输出的令牌',
  ),
  turnstile_missing: both(
    'sign in by way of the console: tollgate login --web, or --device',
    '请通过控制台登录：tollgate login --web 或 --device',
  ),
  too_many_requests: both('wait, or raise the limit in config.yaml', '请稍后再试，或在 config.yaml 中提高限制'),
  db_unavailable: both('tollgate status', 'tollgate status'),
  local_db_unavailable: both('tollgate doctor --local', 'tollgate doctor --local'),
  db_file_at_fault: both(
    'see that the file is a database, can be read and written, and that its disk has room',
    '请确认该文件是数据库、可读写，且磁盘空间充足',
  ),
  target_db_unavailable: both(
    'see that the database that is to be filled runs, and that its address, name and password are right',
    '请确认目标数据库已启动，且其地址、库名与密码正确',
  ),
  internal_error: both("look for the request id in the daemon's log", '请在服务日志中按请求编号查找原因'),
  option_unknown: both('tollgate option list', 'tollgate option list'),
  option_invalid: both('tollgate option get KEY shows type and default', 'tollgate option get KEY 可查看类型与默认值'),
  option_changed: both('look at it with option get, then repeat', '先用 option get 查看，再重试'),
  option_dependency: both('set the named options first', '请先设置所列选项'),
  pay_off: both(
    'root fills in ServerAddress, PayAddress, EpayId and EpayKey: tollgate option set',
    '请超级管理员填写 ServerAddress、PayAddress、EpayId 与 EpayKey：tollgate option set',
  ),
  order_not_found: both('tollgate order list', 'tollgate order list'),
  order_query_failed: both('tollgate order self-test', 'tollgate order self-test'),
  order_completed: both('tollgate order get TRADE_NO', 'tollgate order get TRADE_NO'),
  price_kind_flip: both('add --change-kind if that is meant', '如确需更改，请加上 --change-kind'),
  // Not just another key: what was made with this one would be made once more.
  idempotency_conflict: both(
    'this key has made something already: give what was given then, and for a time like 7d the instant that run told; another key makes one more',
    '此键已用于一次创建：请给出与当时相同的内容，7d 之类的时间须写成当时显示的具体时刻；更换键会再次创建',
  ),
  idempotency_unanswered: both(
    'run it again with the same key, which makes nothing twice; where it stays so, look at the list of what it makes: another key makes it once more',
    '请用同一个键重新运行，不会重复创建；若一直如此，请查看对应列表确认是否已创建：更换键会再次创建',
  ),
  redemption_not_found: both('tollgate redemption list', 'tollgate redemption list'),
  user_not_found: both('tollgate user list', 'tollgate user list'),
  channel_not_found: both('tollgate channel list', 'tollgate channel list'),
  token_not_found: both('tollgate token list', 'tollgate token list'),
  channel_test_failed: both(
    'tollgate channel edit CHANNEL, then: tollgate channel test CHANNEL',
    'tollgate channel edit CHANNEL，然后运行 tollgate channel test CHANNEL',
  ),
  channel_key_last: both(
    'tollgate channel disable CHANNEL, or channel delete CHANNEL',
    'tollgate channel disable CHANNEL 或 channel delete CHANNEL',
  ),
  channel_key_not_found: both('tollgate channel key list CHANNEL', 'tollgate channel key list CHANNEL'),
  channel_model_unknown: both('tollgate channel get CHANNEL', 'tollgate channel get CHANNEL'),
  channel_type_unknown: both('tollgate channel types', 'tollgate channel types'),
  channel_key_hidden: both(
    'security.reveal_channel_keys in config.yaml switches this off',
    'config.yaml 的 security.reveal_channel_keys 已关闭查看',
  ),
  token_key_hidden: both('create a new token; its key is shown once', '请新建令牌，密钥仅显示一次'),
  token_group_refused: both('tollgate account groups', 'tollgate account groups'),
  code_invalid: both(
    'have another code mailed: tollgate register --send-code, or tollgate account bind email ADDRESS --send',
    '请重新获取验证码：tollgate register --send-code，或 tollgate account bind email ADDRESS --send',
  ),
  reset_invalid: both('tollgate password-reset request EMAIL', 'tollgate password-reset request EMAIL'),
  session_not_found: both('tollgate session list', 'tollgate session list'),
  notice_nowhere: both(
    'tollgate account settings edit --email ADDRESS, or name an address with --to',
    '运行 tollgate account settings edit --email ADDRESS，或用 --to 指定地址',
  ),
  notice_failed: both('tollgate option list --section mail', 'tollgate option list --section mail'),
  alert_target_unknown: both('tollgate alert target list', 'tollgate alert target list'),
  alert_rule_invalid: both('tollgate alert set --help', 'tollgate alert set --help'),
  alert_rule_unread: both('tollgate alert set --help', 'tollgate alert set --help'),
  alert_target_invalid: both(
    'tollgate alert target set --help; a private address needs an entry in security.egress_allow of config.yaml',
    'tollgate alert target set --help；内网地址须在 config.yaml 的 security.egress_allow 中允许',
  ),
  username_taken: both('choose another name', '请换一个名称'),
  invalid_answer: both(
    'check --url: another server, or something in front of it, has answered',
    '请检查 --url：返回结果的可能是其他服务或中间代理',
  ),
  // Failures that the command line finds by itself.
  answer_malformed: both(
    'tollgate channel test tells which channel answers so; tollgate log list tells what it cost',
    'tollgate channel test 可查明是哪个渠道；tollgate log list 可查看费用',
  ),
  audit_broken: both('tollgate audit list', 'tollgate audit list'),
  discovery_failed: both(
    'check the address; tollgate option set --help names the options to set by hand',
    '请检查该地址；也可逐项设置，见 tollgate option set --help',
  ),
  group_unknown: both('tollgate group list', 'tollgate group list'),
  not_found: both('check the id, and who may see it', '请检查编号，以及当前账户是否有权查看'),
  not_published: both('look for releases of the project (README.md)', '请查看项目的发布页（README.md）'),
  profile_exists: both('tollgate profile list; choose another name', 'tollgate profile list，或换一个名称'),
  profile_not_found: both('tollgate profile list', 'tollgate profile list'),
  read_only: both(
    'use another profile (--profile), or tollgate profile edit --no-read-only',
    '请用 --profile 换用其他配置，或运行 tollgate profile edit --no-read-only',
  ),
  registry_unavailable: both('try again later', '请稍后重试'),
  prompt_blocked: both('put the question differently, or ask another model', '请修改问题，或换一个模型'),
  stream_cut: both('ask again; tollgate log list tells what it cost', '请重新提问；tollgate log list 可查看费用'),
  tag_not_found: both('tollgate channel tag list', 'tollgate channel tag list'),
  timeout: both('try again with a longer --timeout', '请加大 --timeout 后重试'),
  versions_differ: both('tollgate node list', 'tollgate node list'),
  // Of a server that is not reached the reason says more: what is left is a proxy.
  network_error: both(
    'check HTTPS_PROXY and HTTP_PROXY, or name the server in NO_PROXY',
    '请检查 HTTPS_PROXY 与 HTTP_PROXY，或把服务器加入 NO_PROXY',
  ),
  not_reached: both(
    'check --url, and that the daemon runs: tollgate serve',
    '请检查 --url，并确认服务已启动：tollgate serve',
  ),
};
