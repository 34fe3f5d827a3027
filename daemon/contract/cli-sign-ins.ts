/**
 * Signing the command line in by way of the console (cli.md 2, E2): on the same machine a browser carries a one-time code
 * to it (RFC 8252 with RFC 7636), elsewhere a person types a short one (RFC 8628). Either ends with a machine token.
 */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { NewMachineTokenView } from './machine-tokens.ts';
import { ScopeName, ScopeWish } from './scopes.ts';

/** The token that a program would like to have. */
const wish = {
  /** What the token will be called; says on which machine the program runs. */
  name: z.string(),
  scopes: z.array(ScopeWish).check(z.minLength(1), z.maxLength(100)),
  /** Unix seconds, within 365 days. */
  expires_at: z.int(),
};

/** Who asks and for what, for the person who is to answer. All but address and times is what the program says of itself. */
export const CliSignInView = z.object({
  name: z.string(),
  /** As they would be granted to whoever asks. */
  scopes: z.array(ScopeName),
  /** Unix seconds: when the token would end, as are the next two. */
  expires_at: z.int(),
  /** When the program asked. */
  created_at: z.int(),
  /** Until when it can be answered. */
  valid_until: z.int(),
  /** Where the program asked from. */
  ip: z.string(),
  /** False where the person who looks does so from elsewhere. */
  same_address: z.boolean(),
  user_agent: z.string(),
});
export type CliSignInView = z.output<typeof CliSignInView>;

const own = { access: 'user', shape: 'data', credential: 'session-only' } as const;
/** As typed: case, spaces and hyphens do not matter. */
const userCode = z.object({ user_code: z.string().check(z.maxLength(64)) });
const wishErrors = [
  'token_name_required',
  'token_name_long',
  'machine_token_expiry_invalid',
  'machine_token_limit',
  'scope_beyond_role',
] as const;

export const cliSignIns = {
  begin: endpoint({
    method: 'POST',
    path: '/api/cli/device',
    access: 'public',
    shape: 'data',
    rate: 'critical',
    crossSite: 'cross_site',
    description: {
      en: 'Begins the sign-in of a program without a browser: its user types the short code in the console within ten minutes.',
      zh: '为没有浏览器的程序发起登录：用户须在十分钟内于控制台输入短代码。',
    },
    input: z.object(wish),
    output: z.object({
      /** What the program asks with; never shown. */
      device_code: z.string(),
      /** `XXXX-XXXX`, to be typed. */
      user_code: z.string(),
      /** Page of the console where it is typed; "" where the site does not know its own address. */
      verification_uri: z.string(),
      /** Seconds until both codes are over. */
      expires_in: z.int(),
      /** Seconds between two questions for the token. */
      interval: z.int(),
    }),
    errors: ['cross_site', 'token_name_required', 'token_name_long', 'machine_token_expiry_invalid'],
    example: { input: { name: 'tollgate on build-7', scopes: ['*'], expires_at: 1_798_761_600 } },
  }),
  find: endpoint({
    ...own,
    method: 'POST',
    path: '/api/cli/device/find',
    effect: 'none',
    description: {
      en: 'Who waits with a short code, and for what. Wrong codes are counted.',
      zh: '查询持此短代码等待登录的程序及其请求的权限；输错会被计数。',
    },
    input: userCode,
    output: CliSignInView,
    errors: ['user_code_unknown', 'access_token_not_supported'],
  }),
  approve: endpoint({
    ...own,
    method: 'POST',
    path: '/api/cli/device/approve',
    freshProof: 'machine_token',
    description: {
      en: 'Lets the program that waits with a short code have its token.',
      zh: '批准持此短代码的程序登录并取得令牌。',
    },
    input: userCode,
    errors: ['user_code_unknown', 'step_up_required', 'access_token_not_supported', ...wishErrors],
  }),
  deny: endpoint({
    ...own,
    method: 'POST',
    path: '/api/cli/device/deny',
    description: { en: 'Refuses the program that waits with a short code.', zh: '拒绝持此短代码的程序登录。' },
    input: userCode,
    errors: ['user_code_unknown', 'access_token_not_supported'],
  }),
  authorize: endpoint({
    ...own,
    method: 'POST',
    path: '/api/cli/authorize',
    freshProof: 'machine_token',
    description: {
      en: 'Makes a one-time code, good for a minute, that a browser carries to the program on the same machine.',
      zh: '生成一分钟内有效的一次性代码，由浏览器转交给本机上的程序。',
    },
    input: z.object({
      ...wish,
      /** SHA-256 of the verifier that only the program knows, in base64url (RFC 7636, S256). */
      challenge: z.string().check(z.regex(/^[\w-]{43}$/)),
    }),
    output: z.object({
      code: z.string(),
      /** Seconds until it is over. */
      expires_in: z.int(),
    }),
    errors: ['step_up_required', 'access_token_not_supported', ...wishErrors],
  }),
  token: endpoint({
    method: 'POST',
    path: '/api/cli/token',
    access: 'public',
    shape: 'data',
    crossSite: 'cross_site',
    description: {
      en: 'Gives a program the machine token that its user has let it have, once.',
      zh: '向程序发放用户已批准的机器令牌，仅一次。',
    },
    input: z.object({
      grant: z.enum(['authorization_code', 'device_code']),
      /** The one-time code, or the device's. */
      code: z.string().check(z.maxLength(256)),
      /** With `authorization_code`. */
      verifier: z.optional(z.string().check(z.maxLength(256))),
    }),
    output: NewMachineTokenView,
    errors: [
      'cross_site',
      'authorization_pending',
      'slow_down',
      'authorization_denied',
      'authorization_expired',
      'machine_token_expiry_invalid',
      'machine_token_limit',
      'scope_beyond_role',
    ],
  }),
};
