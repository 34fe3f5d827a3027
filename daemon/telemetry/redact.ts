/**
 * Takes secrets out of a line before anybody can read it. It works on the finished text of a log line, so that nothing
 * escapes by sitting deep in an object, in a stack trace or in an error of a library (S26).
 */

const mask = '***';

/** `sk-***9xYz`: enough to tell keys apart, nothing to call with. */
function keepTail(prefix: string, secret: string): string {
  return `${prefix}${mask}${secret.length >= 12 ? secret.slice(-4) : ''}`;
}

/** Names of members whose values are secret, in JSON, in headers and in form bodies. */
const secretNames =
  'authorization|proxy-authorization|cookie|set-cookie|x-api-key|api-key|apikey|api_key|x-goog-api-key|x-setup-token|' +
  'password\\d?|original_password|passwd|passphrase|secret|client_secret|access_token|refresh_token|' +
  'id_token|setup_token|session_id|private_key|secret_access_key|x-amz-security-token|verification_code';

/** Names that also stand for harmless things: a member by them is hidden when its value looks random. */
const doubtfulNames = 'key|keys|token|session';

/** How keys of Tollgate begin, and of the vendors that mark theirs. */
const keyMarks =
  'sk-|tgm_|pk-|rk-|xai-|gsk_|hf_|r8_|nvapi-|pplx-|fw_|csk-|AIza|AKIA|ASIA|ghp_|github_pat_|glpat-|ya29\\.';

interface Rule {
  readonly pattern: RegExp;
  readonly replace: (match: string, ...groups: string[]) => string;
}

// What others wrote may stand in a line, at any length: a pattern must not look through it from each of its places.
// Hence a bound on backslashes (fifteen stand before a quote that is JSON in JSON four times over), signed tokens that are
// looked for once in a word, and lists that are read once.

const rules: readonly Rule[] = [
  {
    // A member of an object: "password":"…", also inside a text that is itself JSON.
    pattern: new RegExp(`(\\\\{0,15})"(${secretNames})\\1"(\\s*:\\s*)\\1"((?:(?!\\1")[^\\\\]|\\\\.)*?)\\1"`, 'gi'),
    replace: (_match, quote = '', name = '', colon = '') =>
      `${quote}"${name}${quote}"${colon}${quote}"${mask}${quote}"`,
  },
  {
    pattern: new RegExp(
      `(\\\\{0,15})"(${doubtfulNames})\\1"(\\s*:\\s*)\\1"(?=[^"\\s]*\\d)([^"\\s\\\\]{16,})\\1"`,
      'gi',
    ),
    replace: (_match, quote = '', name = '', colon = '') =>
      `${quote}"${name}${quote}"${colon}${quote}"${mask}${quote}"`,
  },
  {
    // A list of header values: "set-cookie":["…","…"]. One without an end is read, not hidden: it must not be read again.
    pattern: new RegExp(`"(${secretNames})"(\\s*:\\s*)\\[[^\\]["]*(?:"(?:[^"\\\\]|\\\\.)*"[^\\]["]*)*(\\]?)`, 'gi'),
    replace: (match, name = '', colon = '', end = '') => (end === '' ? match : `"${name}"${colon}["${mask}"]`),
  },
  {
    pattern: /\b(bearer|basic|token|apikey)(\s+|%20)([\w.~+/=-]{6,})/gi,
    replace: (_match, scheme = '', space = '') => `${scheme}${space}${mask}`,
  },
  {
    pattern: new RegExp(`\\b(${keyMarks})([\\w.-]{8,})`, 'g'),
    replace: (_match, prefix = '', secret = '') => keepTail(prefix, secret),
  },
  {
    // A relay key without its mark: 48 letters and digits.
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{48}(?![A-Za-z0-9])/g,
    replace: (secret) => keepTail('', secret),
  },
  {
    // A signed token, which a word may stand before.
    pattern: /(?<![\w-])(?=[\w-]*\beyJ[\w-]{8})([\w-]+)\.[\w-]{4,}(?:\.[\w-]*)?/g,
    replace: (_match, head = '') => `${head.slice(0, head.search(/\beyJ[\w-]{8}/))}${mask}`,
  },
  {
    // Members of a query or a form body, and headers that were printed as lines.
    pattern: new RegExp(`(^|[?&;,\\s"'\\\\n])(${secretNames}|${doubtfulNames})(=|:\\s*)([^&\\s"'\\\\,;]+)`, 'gi'),
    replace: (_match, before = '', name = '', sign = '') => `${before}${name}${sign}${mask}`,
  },
  {
    // Passwords of addresses: postgres://user:…@host.
    pattern: /(:\/\/[^\s:/@"]*:)[^\s/"]+@/g,
    replace: (_match, before = '') => `${before}${mask}@`,
  },
  {
    pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
    replace: () => mask,
  },
];

/** Most lines hold none of these, and are then left alone at the price of one search. */
const suspicious = new RegExp(
  `${secretNames}|${doubtfulNames}|bearer|basic|${keyMarks}|eyJ|://[^\\s/"]*@|PRIVATE KEY|[A-Za-z0-9]{48}`,
  'i',
);

/** The text with every secret replaced; applying it twice changes nothing more. */
export function redact(text: string): string {
  if (!suspicious.test(text)) return text;
  return rules.reduce((line, { pattern, replace }) => line.replace(pattern, replace), text);
}
