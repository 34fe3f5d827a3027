/** Signing in with an account elsewhere, and binding one (management-api.md 3.5). */
import * as z from 'zod/mini';
import { LoginView } from './account.ts';
import { endpoint } from './endpoint.ts';

const text = z.optional(z.string());

/** What a provider hands back by way of the browser. */
const callbackInput = z.object({ code: text, state: text, error: text, error_description: text });
/** `message` is `bind` and `data` null after a binding. */
const callbackOutput = z.object({ message: z.string(), data: z.nullable(LoginView) });
/** A query has texts alone; in a body the widget's own callback has numbers for these. */
const figure = z.optional(z.pipe(z.union([z.string(), z.int()]), z.transform(String)));
const telegramInput = z.object({
  id: figure,
  first_name: text,
  last_name: text,
  username: text,
  photo_url: text,
  auth_date: figure,
  hash: text,
  lang: text,
});

const callback = {
  method: 'GET',
  access: 'public',
  shape: 'beside',
  rate: 'critical-oauth',
  effect: 'changes',
  crossSite: 'oauth_state',
  input: callbackInput,
  output: callbackOutput,
  errors: [
    'oauth_state',
    'oauth_off',
    'oauth_exchange',
    'oauth_taken',
    'user_disabled',
    'user_gone',
    'register_off',
    'two_factor_required',
    'step_up_required',
  ],
} as const;

/** Proves something to be the caller's own. */
export const bind = {
  method: 'GET',
  aliases: [{ method: 'POST' }],
  access: 'user',
  freshProof: 'sign_in_method',
  shape: 'data',
  rate: 'critical-oauth',
  effect: 'changes',
  crossSite: 'oauth_state',
} as const;

export const oauth = {
  state: endpoint({
    method: 'GET',
    path: '/api/oauth/state',
    access: 'public',
    shape: 'beside',
    rate: 'critical-oauth',
    effect: 'changes',
    description: {
      en: 'Opens a state for one sign-in; with `provider=oidc` also a code challenge and a nonce.',
      zh: '为一次登录生成 state；带 `provider=oidc` 时还会生成 code challenge 与 nonce。',
    },
    input: z.object({ aff: text, provider: text }),
    output: z.object({
      data: z.string(),
      code_challenge: z.optional(z.string()),
      code_challenge_method: z.optional(z.literal('S256')),
      nonce: z.optional(z.string()),
    }),
  }),
  github: endpoint({
    ...callback,
    path: '/api/oauth/github',
    description: {
      en: 'Takes the answer of GitHub: signs in, registers, or binds for whoever is signed in.',
      zh: '处理 GitHub 的回调：登录、注册，或为已登录的用户绑定。',
    },
  }),
  oidc: endpoint({
    ...callback,
    path: '/api/oauth/oidc',
    description: {
      en: 'Takes the answer of the OpenID Connect provider: signs in, registers, or binds.',
      zh: '处理 OpenID Connect 提供方的回调：登录、注册或绑定。',
    },
  }),
  linuxdo: endpoint({
    ...callback,
    path: '/api/oauth/linuxdo',
    description: {
      en: 'Takes the answer of LinuxDO: signs in, registers, or binds.',
      zh: '处理 LinuxDO 的回调：登录、注册或绑定。',
    },
  }),
  wechat: endpoint({
    method: 'GET',
    path: '/api/oauth/wechat',
    access: 'public',
    shape: 'data',
    rate: 'critical-oauth',
    effect: 'changes',
    crossSite: 'oauth_state',
    description: { en: 'Signs in or registers by a code of the chat app.', zh: '凭微信验证码登录或注册。' },
    input: z.object({ code: text }),
    output: LoginView,
    errors: ['oauth_off', 'oauth_exchange', 'user_disabled', 'user_gone', 'register_off', 'two_factor_required'],
  }),
  bindWechat: endpoint({
    ...bind,
    path: '/api/oauth/wechat/bind',
    description: { en: 'Binds the chat-app account behind a code.', zh: '绑定验证码对应的微信账户。' },
    input: z.object({ code: text }),
    errors: ['oauth_off', 'oauth_exchange', 'oauth_taken', 'step_up_required'],
  }),
  telegram: endpoint({
    method: 'GET',
    path: '/api/oauth/telegram/login',
    access: 'public',
    shape: 'data',
    rate: 'critical-oauth',
    effect: 'changes',
    crossSite: 'oauth_state',
    description: {
      en: "Signs in by the answer of the messaging bot's widget; never registers.",
      zh: '凭 Telegram 登录组件的结果登录；不会注册新账户。',
    },
    input: telegramInput,
    output: LoginView,
    errors: ['oauth_off', 'oauth_exchange', 'oauth_unbound', 'user_disabled', 'user_gone', 'two_factor_required'],
  }),
  bindTelegram: endpoint({
    ...bind,
    path: '/api/oauth/telegram/bind',
    credential: 'session-only',
    notice: 'bind',
    description: { en: "Binds the account of the messaging bot's widget.", zh: '绑定 Telegram 登录组件对应的账户。' },
    input: telegramInput,
    errors: ['oauth_off', 'oauth_exchange', 'oauth_taken', 'access_token_not_supported', 'step_up_required'],
  }),
};
