/** Keys of accounts, security and the rate limits of the management API (management-api.md 1.6, 2, 3). */
import { egressTarget, optionalWebUrl, timeZone, webUrl } from './checks.ts';
import { choice, flag, integer, list, secret, text } from './key.ts';

export const securityKeys = {
  reveal_channel_keys: flag({
    environment: ['TOLLGATE_REVEAL_CHANNEL_KEYS'],
    default: true,
    meaning: 'Admins may read channel keys, each time with an audit row; false makes the keys write-only',
  }),
  fresh_proof_for_administration: flag({
    environment: ['TOLLGATE_FRESH_PROOF_FOR_ADMINISTRATION'],
    default: false,
    meaning:
      'Sessions must prove anew who uses them before they read channel keys or have them sent to another host, change an option that only root may write, apply declared state, make an administrator, or issue the access token of one or open another way into their account, whose own password then changes only with the old one',
  }),
  reveal_tokens: choice({
    environment: ['TOLLGATE_REVEAL_TOKENS'],
    of: ['always', 'once'],
    default: 'always',
    meaning: 'When owners see the keys they call with: always, or once when a key is made',
  }),
  require_original_password: flag({
    environment: ['TOLLGATE_REQUIRE_ORIGINAL_PASSWORD'],
    default: false,
    meaning: "Changing one's own password needs the old one, also from clients that would not send it",
  }),
  access_token_days: integer({
    environment: ['TOLLGATE_ACCESS_TOKEN_DAYS'],
    default: 365,
    min: 1,
    max: 3650,
    meaning: 'Life of a system access token, in days',
  }),
  setup_token: secret({
    environment: ['SETUP_TOKEN'],
    default: '',
    meaning: 'Token that the first set-up asks for; when empty, one is made and printed at the first start',
  }),
  cookie_secure: choice({
    environment: ['COOKIE_SECURE'],
    of: ['auto', 'true', 'false'],
    default: 'auto',
    meaning: 'Send the session cookie over https only; auto decides by how the request came',
  }),
  egress_allow: list({
    environment: ['EGRESS_ALLOW'],
    default: [],
    check: egressTarget,
    meaning: 'Private targets that configured addresses, the mail server among them, may reach, as ranges or host:port',
  }),
  human_check_url: text({
    environment: ['TOLLGATE_HUMAN_CHECK_URL'],
    // Source: Cloudflare's page on validating Turnstile's token on the server, read 2026-08.
    default: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    check: optionalWebUrl,
    meaning: 'Where answers of the human check are verified; empty refuses every answer while the check is on',
  }),
  github_url: text({
    environment: ['TOLLGATE_GITHUB_URL'],
    default: 'https://github.com',
    check: webUrl,
    meaning: 'Where people sign in with GitHub; a GitHub Enterprise Server has an address of its own',
  }),
  github_api_url: text({
    environment: ['TOLLGATE_GITHUB_API_URL'],
    default: 'https://api.github.com',
    check: webUrl,
    meaning: 'The API of that GitHub; https://HOST/api/v3 of a GitHub Enterprise Server',
  }),
  linuxdo_url: text({
    environment: ['TOLLGATE_LINUXDO_URL'],
    default: 'https://connect.linux.do',
    check: webUrl,
    meaning: 'Where people sign in with LinuxDO',
  }),
  channel_allow_private: flag({
    environment: ['CHANNEL_ALLOW_PRIVATE'],
    default: true,
    meaning: 'Channels may have private addresses, as local model servers do',
  }),
  max_tokens_per_user: integer({
    environment: ['MAX_TOKENS_PER_USER'],
    default: 1000,
    min: 1,
    meaning: 'Most keys that one user may hold',
  }),
  generate_default_token: flag({
    environment: ['GENERATE_DEFAULT_TOKEN'],
    default: false,
    meaning: 'Give every newly registered user a first key',
  }),
};

export const siteKeys = {
  time_zone: text({
    environment: ['TIME_ZONE'],
    default: 'UTC',
    check: timeZone,
    meaning: 'Zone of check-in days, dashboard days and budget periods',
  }),
  default_language: choice({
    environment: ['DEFAULT_LANG'],
    of: ['zh', 'en'],
    default: 'zh',
    meaning: 'Language of stored texts such as log rows, and of mails and notices that nobody asked for',
  }),
  frontend_base_url: text({
    environment: ['FRONTEND_BASE_URL'],
    default: '',
    check: optionalWebUrl,
    meaning: 'Where a slave sends visitors of its pages; a master shows them itself',
  }),
};

interface WindowDefaults {
  readonly environment: { readonly enabled: string; readonly count: string; readonly seconds: string };
  readonly count: number;
  readonly seconds: number;
  readonly meaning: string;
  readonly idle?: string;
  /** Why the number of calls alone changes nothing. */
  readonly idleCount?: string;
}

/** A limit of so many calls within so many seconds, with its switch. */
function window({ environment, count, seconds, meaning, idleCount, ...idle }: WindowDefaults) {
  return {
    enabled: flag({ ...idle, environment: environment.enabled, default: true, meaning }),
    count: integer({
      ...idle,
      ...(idleCount === undefined ? {} : { idle: idleCount }),
      environment: environment.count,
      default: count,
      min: 1,
      meaning: 'Calls in the window',
    }),
    seconds: integer({
      ...idle,
      environment: environment.seconds,
      default: seconds,
      min: 1,
      max: 604_800,
      meaning: 'Length of the window',
    }),
  };
}

/** Names of the form `X_ENABLE`, `X`, `X_DURATION`. */
function named(base: string): WindowDefaults['environment'] {
  return { enabled: `${base}_ENABLE`, count: base, seconds: `${base}_DURATION` };
}

export const limitKeys = {
  global_web: window({
    environment: named('GLOBAL_WEB_RATE_LIMIT'),
    count: 60,
    seconds: 180,
    meaning: 'Limit pages of the console by address',
  }),
  global_api: window({
    environment: named('GLOBAL_API_RATE_LIMIT'),
    count: 180,
    seconds: 180,
    meaning: 'Limit unauthenticated management calls by address',
  }),
  critical: window({
    environment: named('CRITICAL_RATE_LIMIT'),
    count: 20,
    seconds: 1200,
    meaning: 'Limit sign-in, registration and other guarded calls by address',
  }),
  upload: window({
    environment: named('UPLOAD_RATE_LIMIT'),
    count: 10,
    seconds: 60,
    meaning: 'Limit uploads by address',
    idle: 'no management call takes an upload yet',
  }),
  download: window({
    environment: named('DOWNLOAD_RATE_LIMIT'),
    count: 10,
    seconds: 60,
    meaning: 'Limit downloads of rows by user',
  }),
  per_user: window({
    environment: named('TOLLGATE_USER_API_RATE_LIMIT'),
    count: 600,
    seconds: 60,
    meaning: 'Limit the calls of one signed-in user, and of each machine token by itself',
    idleCount: 'the option UserApiRateLimit says how many',
  }),
  event_streams_per_user: integer({
    environment: ['TOLLGATE_EVENT_STREAMS_PER_USER'],
    default: 10,
    min: 1,
    meaning: 'Streams of live events that one user may have open at once on this node',
  }),
  search: window({
    environment: named('SEARCH_RATE_LIMIT'),
    count: 30,
    seconds: 60,
    meaning: 'Limit searches by user',
  }),
  mail: window({
    environment: named('EMAIL_RATE_LIMIT'),
    count: 2,
    seconds: 30,
    meaning: 'Limit mails that one client address asks for',
  }),
  mail_recipient: window({
    environment: named('EMAIL_RATE_LIMIT_PER_RECIPIENT'),
    count: 1,
    seconds: 30,
    meaning: 'Limit mails to one recipient',
  }),
  mail_recipient_day: window({
    environment: named('EMAIL_RATE_LIMIT_PER_RECIPIENT_DAY'),
    count: 10,
    seconds: 86_400,
    meaning: 'Limit mails to one recipient over the day',
  }),
  login_failures: window({
    environment: { enabled: 'LOGIN_FAIL_LIMIT_ENABLE', count: 'LOGIN_FAIL_LIMIT', seconds: 'LOGIN_FAIL_DURATION' },
    count: 10,
    seconds: 900,
    meaning: 'Limit failed sign-ins by account name',
  }),
  login_failures_by_address: window({
    environment: {
      enabled: 'LOGIN_FAIL_IP_LIMIT_ENABLE',
      count: 'LOGIN_FAIL_IP_LIMIT',
      seconds: 'LOGIN_FAIL_IP_DURATION',
    },
    count: 20,
    seconds: 1200,
    meaning: 'Limit failed sign-ins by address',
  }),
};
