/** Signing in and out, registering, and a caller's own account (management-api.md 3.4, 3.6). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { ScopeName } from './scopes.ts';

/** What identifies an account, and what it may do. */
const identityMembers = {
  id: z.int(),
  username: z.string(),
  display_name: z.string(),
  role: z.int(),
  status: z.int(),
  group: z.string(),
};

export const LoginView = z.object(identityMembers);
export type LoginView = z.output<typeof LoginView>;

/** Members common to the own account and to the rows an administrator sees. */
export const accountMembers = {
  ...identityMembers,
  email: z.string(),
  github_id: z.string(),
  oidc_id: z.string(),
  wechat_id: z.string(),
  telegram_id: z.string(),
  linux_do_id: z.string(),
  quota: z.int(),
  used_quota: z.int(),
  request_count: z.int(),
  aff_code: z.string(),
  aff_count: z.int(),
  aff_quota: z.int(),
  aff_history_quota: z.int(),
  inviter_id: z.int(),
  /** JSON text (management-api.md 4.12). */
  setting: z.string(),
  /** RFC 3339. */
  last_check_in_time: z.nullable(z.string()),
  DeletedAt: z.nullable(z.string()),
  password: z.literal(''),
  access_token: z.null(),
};

export const SelfView = z.object({
  ...accountMembers,
  /** False for an account that came by a provider and never chose a password: a first one needs no old one. */
  has_password: z.boolean(),
  /** The caller's address as the server sees it. */
  client_ip: z.string(),
});
export type SelfView = z.output<typeof SelfView>;

/** Who calls, by which credential, and until when. */
export const CredentialView = z.object({
  id: z.int(),
  username: z.string(),
  display_name: z.string(),
  /** What the call may do: for a machine token at most the role at its creation. */
  role: z.int(),
  group: z.string(),
  via: z.enum(['session', 'access_token', 'machine_token']),
  /** Null for a credential that may do all that the role may. */
  scopes: z.nullable(z.array(ScopeName)),
  /** Unix seconds. */
  expires_at: z.int(),
  /** Null for any other credential. */
  machine_token: z.nullable(z.object({ id: z.int(), name: z.string() })),
});
export type CredentialView = z.output<typeof CredentialView>;

/** Groups with their description and price ratio. */
const GroupsView = z.record(z.string(), z.object({ desc: z.string(), ratio: z.number() }));
export type GroupsView = z.output<typeof GroupsView>;

/** Text that may be absent, null or empty: all three mean "not given". */
const optionalText = z.optional(z.nullable(z.string()));

const signIn = {
  login: endpoint({
    method: 'POST',
    path: '/api/user/login',
    access: 'public',
    shape: 'data',
    rate: 'critical',
    humanCheck: 'required',
    crossSite: 'oauth_state',
    description: {
      en: 'Opens a session with user name or e-mail address and password.',
      zh: '使用用户名或邮箱与密码登录，建立会话。',
    },
    input: z.object({ username: z.string(), password: z.string() }),
    output: LoginView,
    errors: ['password_login_off', 'login_failed', 'two_factor_required'],
    example: { input: { username: 'root', password: 'correct horse' } },
  }),
  register: endpoint({
    method: 'POST',
    path: '/api/user/register',
    access: 'public',
    shape: 'data',
    rate: 'critical',
    humanCheck: 'required',
    description: { en: 'Creates an account; it is not signed in.', zh: '注册账户；注册后不会自动登录。' },
    input: z.object({
      username: z.string(),
      password: z.string(),
      password2: optionalText,
      email: optionalText,
      verification_code: optionalText,
      aff_code: optionalText,
    }),
    errors: [
      'register_off',
      'password_register_off',
      'username_invalid',
      'username_taken',
      'password_invalid',
      'password_mismatch',
      'email_required',
      'email_invalid',
      'email_taken',
      'code_invalid',
      'email_domain_refused',
      'email_alias_refused',
    ],
  }),
  logout: endpoint({
    method: 'GET',
    path: '/api/user/logout',
    aliases: [{ method: 'POST' }],
    access: 'public',
    shape: 'beside',
    effect: 'changes',
    description: {
      en: 'Ends the session of this cookie; succeeds without one. `logout_url` is where the browser signs out at the identity provider that opened the session.',
      zh: '结束此 Cookie 对应的会话；没有会话时同样成功。`logout_url` 是在建立该会话的身份提供方登出的地址。',
    },
    output: z.object({ data: z.null(), logout_url: z.optional(z.string()) }),
    errors: ['user_header_missing', 'user_header_malformed', 'user_header_mismatch'],
  }),
};

export const account = {
  ...signIn,
  get: endpoint({
    method: 'GET',
    path: '/api/user/self',
    access: 'user',
    scope: 'user:read',
    shape: 'data',
    description: { en: 'The own account.', zh: '本人账户。' },
    output: SelfView,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api/user/self',
    access: 'user',
    scope: 'user:write',
    shape: 'data',
    description: {
      en: 'Changes own name, display name or password; absent, empty and equal members stay as they are.',
      zh: '修改本人的用户名、显示名称或密码；缺省、为空或相同的字段保持不变。',
    },
    input: z.object({
      username: optionalText,
      display_name: optionalText,
      password: optionalText,
      original_password: optionalText,
    }),
    errors: [
      'username_invalid',
      'username_taken',
      'password_invalid',
      'invalid_input',
      'login_failed',
      'forbidden_role',
      'step_up_required',
    ],
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/api/user/self',
    access: 'user',
    shape: 'data',
    credential: 'session-only',
    description: {
      en: 'Deletes the own account; its keys, sessions and access token stop working.',
      zh: '注销本人账户；其令牌、会话与访问令牌随即失效。',
    },
    freshProof: 'account',
    errors: ['user_root_protected', 'access_token_not_supported', 'step_up_required'],
  }),
  issueToken: endpoint({
    method: 'GET',
    path: '/api/user/token',
    aliases: [{ method: 'POST' }],
    access: 'user',
    shape: 'data',
    rate: 'critical',
    effect: 'changes',
    description: {
      en: 'Issues a new system access token, shown once; the previous one stops working.',
      zh: '生成新的系统访问令牌，仅显示一次；原有访问令牌随即失效。',
    },
    freshProof: 'account',
    output: z.string(),
    errors: ['step_up_required'],
  }),
  credential: endpoint({
    method: 'GET',
    path: '/api/user/credential',
    access: 'user',
    scope: 'any',
    shape: 'data',
    description: {
      en: 'Whose credential the call bears, what it may do and when it ends.',
      zh: '本次调用所用凭据的所属用户、权限范围与到期时间。',
    },
    output: CredentialView,
  }),
  groups: endpoint({
    method: 'GET',
    path: '/api/user/self/groups',
    access: 'user',
    scope: 'user:read',
    shape: 'data',
    description: { en: 'Groups that the own keys may use.', zh: '本人的令牌可使用的分组。' },
    output: GroupsView,
  }),
  publicGroups: endpoint({
    method: 'GET',
    path: '/api/user/groups',
    access: 'optional',
    scope: 'any',
    shape: 'data',
    description: {
      en: 'The same for the caller, or for the default group without sign-in.',
      zh: '调用者可使用的分组；未登录时为默认分组可用的分组。',
    },
    output: GroupsView,
  }),
  models: endpoint({
    method: 'GET',
    path: '/api/user/models',
    aliases: [{ path: '/api/user/available_models' }],
    access: 'user',
    scope: 'user:read',
    shape: 'data',
    description: { en: 'Models that any of the usable groups offers, sorted.', zh: '任一可用分组提供的模型，已排序。' },
    output: z.array(z.string()),
  }),
  saveSetting: endpoint({
    method: 'PUT',
    path: '/api/user/setting',
    access: 'user',
    scope: 'user:write',
    shape: 'data',
    notice: 'settings_saved',
    description: {
      en: 'Changes notification settings. An empty or absent webhook secret stays as it is, null clears it; members of the other type are kept.',
      zh: '修改通知设置。Webhook 密钥为空或缺省时保持不变，null 表示清除；另一种通知方式的字段会保留。',
    },
    input: z.object({
      notify_type: z.string(),
      quota_warning_threshold: z.number({ error: 'threshold_invalid' }),
      webhook_url: optionalText,
      webhook_secret: z.optional(z.nullable(z.string().check(z.maxLength(512)))),
      notification_email: optionalText,
      accept_unset_model_ratio_model: z.optional(z.nullable(z.boolean())),
    }),
    errors: ['notify_type_invalid', 'threshold_invalid', 'webhook_invalid', 'email_invalid'],
  }),
  testNotice: endpoint({
    method: 'POST',
    path: '/api/user/setting/test',
    access: 'user',
    scope: 'user:write',
    shape: 'data',
    rate: 'critical-mail',
    description: {
      en: 'Sends a sample notice by the saved notification settings, at once and without a second try.',
      zh: '按已保存的通知设置立即发送一条测试通知，失败不重试。',
    },
    errors: ['notice_nowhere', 'notice_failed'],
  }),
};
