/** Signing in with an account elsewhere, and binding one (management-api.md 3.5). */
import * as z from 'zod/mini';
import { LoginView } from './account.ts';
import { endpoint } from './endpoint.ts';

const text = z.optional(z.string());

/** What a provider hands back by way of the browser. */
const callbackInput = z.object({ code: text, state: text, error: text, error_description: text });
/** `message` is `bind` and `data` null after a binding. */
const callbackOutput = z.object({ message: z.string(), data: z.nullable(LoginView) });
const telegramInput = z.object({
  id: text,
  first_name: text,
  last_name: text,
  username: text,
  photo_url: text,
  auth_date: text,
  hash: text,
  lang: text,
});

const callback = {
  method: 'GET',
  access: 'public',
  shape: 'beside',
  rate: 'critical-oauth',
  effect: 'changes',
  crossSite: 'refused',
  input: callbackInput,
  output: callbackOutput,
  errors: ['oauth_state', 'oauth_off', 'oauth_exchange', 'oauth_taken', 'user_disabled', 'user_gone', 'register_off'],
} as const;

/** Proves something to be the caller's own. */
export const bind = {
  method: 'GET',
  aliases: [{ method: 'POST' }],
  access: 'user',
  shape: 'data',
  rate: 'critical-oauth',
  effect: 'changes',
  crossSite: 'refused',
} as const;

export const oauth = {
  state: endpoint({
    method: 'GET',
    path: '/api/oauth/state',
    access: 'public',
    shape: 'beside',
    rate: 'critical-oauth',
    effect: 'changes',
    description: 'Opens a state for one sign-in; with `provider=oidc` also a code challenge and a nonce.',
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
    description: 'Takes the answer of GitHub: signs in, registers, or binds for whoever is signed in.',
  }),
  oidc: endpoint({
    ...callback,
    path: '/api/oauth/oidc',
    description: 'Takes the answer of the OpenID Connect provider: signs in, registers, or binds.',
  }),
  linuxdo: endpoint({
    ...callback,
    path: '/api/oauth/linuxdo',
    description: 'Takes the answer of LinuxDO: signs in, registers, or binds.',
  }),
  wechat: endpoint({
    method: 'GET',
    path: '/api/oauth/wechat',
    access: 'public',
    shape: 'data',
    rate: 'critical-oauth',
    effect: 'changes',
    crossSite: 'refused',
    description: 'Signs in or registers by a code of the chat app.',
    input: z.object({ code: text }),
    output: LoginView,
    errors: ['oauth_off', 'oauth_exchange', 'user_disabled', 'user_gone', 'register_off'],
  }),
  bindWechat: endpoint({
    ...bind,
    path: '/api/oauth/wechat/bind',
    description: 'Binds the chat-app account behind a code.',
    input: z.object({ code: text }),
    errors: ['oauth_off', 'oauth_exchange', 'oauth_taken'],
  }),
  telegram: endpoint({
    method: 'GET',
    path: '/api/oauth/telegram/login',
    access: 'public',
    shape: 'data',
    rate: 'critical-oauth',
    effect: 'changes',
    crossSite: 'refused',
    description: "Signs in by the answer of the messaging bot's widget; never registers.",
    input: telegramInput,
    output: LoginView,
    errors: ['oauth_off', 'oauth_exchange', 'oauth_unbound', 'user_disabled', 'user_gone'],
  }),
  bindTelegram: endpoint({
    ...bind,
    path: '/api/oauth/telegram/bind',
    credential: 'session-only',
    notice: 'bind',
    description: "Binds the account of the messaging bot's widget.",
    input: telegramInput,
    errors: ['oauth_off', 'oauth_exchange', 'oauth_taken', 'access_token_not_supported'],
  }),
};
