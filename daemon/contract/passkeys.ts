/** Passkeys: signing in with one, and those of the own account (console.md N2, cli.md E4). */
import * as z from 'zod/mini';
import { LoginView } from './account.ts';
import { endpoint } from './endpoint.ts';
import { rowId } from './loose.ts';

export const PasskeyView = z.object({
  id: z.int(),
  name: z.string(),
  /** Unix seconds. */
  created_at: z.int(),
  /** Unix seconds; 0 before its first use. */
  last_used_at: z.int(),
  /** True where it is kept on more than one device. */
  synced: z.boolean(),
});
export type PasskeyView = z.output<typeof PasskeyView>;

/** What the browser's own call is given, as WebAuthn lays it out. */
export const BrowserOptions = z.record(z.string(), z.unknown());
const base64url = (most: number) => z.string().check(z.maxLength(most), z.regex(/^[\w-]*$/));

/** What the browser brings of a passkey that was used. */
export const UsedPasskey = z.object({
  id: base64url(1400),
  response: z.object({
    clientDataJSON: base64url(8192),
    authenticatorData: base64url(8192),
    signature: base64url(8192),
    userHandle: base64url(128),
  }),
});

export type UsedPasskey = z.output<typeof UsedPasskey>;

const name = z.string();
const own = { access: 'user', shape: 'data', credential: 'session-only', rate: 'critical' } as const;
const proven = { ...own, freshProof: 'second_factor' } as const;

export const passkeys = {
  beginSignIn: endpoint({
    method: 'POST',
    path: '/api/user/login/passkey/options',
    access: 'public',
    shape: 'data',
    effect: 'none',
    crossSite: 'oauth_state',
    description: {
      en: 'What a browser needs to sign in with a passkey, whosever it is; good for five minutes, once.',
      zh: '浏览器使用通行密钥登录所需的参数；五分钟内有效，仅可使用一次。',
    },
    output: BrowserOptions,
    errors: ['passkey_off'],
  }),
  signIn: endpoint({
    method: 'POST',
    path: '/api/user/login/passkey',
    access: 'public',
    shape: 'data',
    rate: 'critical',
    crossSite: 'oauth_state',
    description: {
      en: 'Opens a session with a passkey; no second factor is asked for.',
      zh: '使用通行密钥登录，无需双重验证。',
    },
    input: UsedPasskey,
    output: LoginView,
    errors: ['passkey_off', 'passkey_refused'],
  }),
  list: endpoint({
    method: 'GET',
    path: '/api/user/passkey/',
    access: 'user',
    scope: 'user:read',
    shape: 'data',
    description: { en: 'The own passkeys, the oldest first.', zh: '本人的通行密钥，最早的在前。' },
    output: z.array(PasskeyView),
  }),
  beginAdding: endpoint({
    ...proven,
    method: 'POST',
    path: '/api/user/passkey/options',
    description: {
      en: 'What a browser needs to make a passkey for the own account.',
      zh: '浏览器为本人账户创建通行密钥所需的参数。',
    },
    output: BrowserOptions,
    errors: ['passkey_off', 'passkey_limit', 'step_up_required', 'access_token_not_supported'],
  }),
  add: endpoint({
    ...proven,
    method: 'POST',
    path: '/api/user/passkey/',
    description: { en: 'Keeps the passkey that a browser made.', zh: '保存浏览器创建的通行密钥。' },
    input: z.object({
      name,
      id: base64url(1400),
      response: z.object({
        clientDataJSON: base64url(8192),
        attestationObject: base64url(65_536),
        transports: z.optional(z.array(z.string().check(z.maxLength(32))).check(z.maxLength(16))),
      }),
    }),
    output: PasskeyView,
    errors: [
      'passkey_off',
      'passkey_limit',
      'passkey_refused',
      'passkey_name_invalid',
      'step_up_required',
      'access_token_not_supported',
    ],
  }),
  rename: endpoint({
    ...own,
    method: 'PUT',
    path: '/api/user/passkey/:id',
    description: { en: 'Names a passkey.', zh: '重命名通行密钥。' },
    input: z.object({ id: rowId, name }),
    output: PasskeyView,
    errors: ['passkey_not_found', 'passkey_name_invalid', 'access_token_not_supported'],
  }),
  remove: endpoint({
    ...proven,
    method: 'DELETE',
    path: '/api/user/passkey/:id',
    description: { en: 'Forgets a passkey; it no longer signs in.', zh: '删除通行密钥，之后不能再用其登录。' },
    input: z.object({ id: rowId }),
    errors: ['passkey_not_found', 'step_up_required', 'access_token_not_supported'],
  }),
};
