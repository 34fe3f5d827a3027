/**
 * Takes what belongs to the operator out of error texts before a client or a user's log sees them (relay.md 4.3, REQ-33).
 */

const hidden = '***';

/** Shorter ones may be parts of words that clients go by. */
const SECRET_IN_WORD_LENGTH = 8;

// An upstream chooses the text and its length: a pattern that may begin with a run of characters begins where the run
// does, or it would look through a long one from every place of it.

/** Key-like words of the vendors, also the half-hidden form in which they quote a wrong key. */
const keyPatterns: readonly RegExp[] = [
  /\b(?:sk|pk|ek|gsk|xai|nvapi|pplx|hf|r8|csk)[-_](?:[\w*-]*(?:\.{2,}|…)[\w*-]{2,}|[\w*-]{6,})/gi,
  /\bAIza[\w-]{20,}/g,
  /\bak-(?=[a-z0-9]*\d)[a-z0-9]{8,}/gi,
  /(?<![\w<>-])(?:[\w<>-]*\*{3,})+[\w<>-]*/g,
  /\b[0-9a-f]{32,}\b/gi,
  /\b(?=\w*\d)(?=\w*[a-z])[\w]{40,}\b/gi,
];

/** Account names: organisations, projects, teams, addresses of people and machines. */
const accountPatterns: readonly RegExp[] = [
  /\b(?:org|proj|acct)[-_][A-Za-z0-9]{6,}\b/g,
  /\b(?:user|team)[-_](?=\w*\d)[A-Za-z0-9]{6,}\b/g,
  /(?<=\baccount(?: id)?[\s:=]{1,2}["'`[]?)(?=[\w-]*\d)[\w-]{4,}/gi,
  /(?<=\buin[\s:/]{1,2})\d{6,}/gi,
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
  /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g,
  /\[[0-9a-f]*:[0-9a-f:]+\](?::\d{1,5})?/gi,
];

/** Places in which programs name a host that they could not reach: that of an upstream's own upstream, too. */
const reachedPatterns: readonly RegExp[] = [
  /(?<=\b(?:get|post|put|patch|delete|head) ["'])[a-z]+:\/\/[^"'\s]+/gi,
  /(?<=\b(?:lookup|getaddrinfo|ENOTFOUND|EAI_AGAIN|host(?:name)?|connect to|resolve)[\s:=]{1,2}["']?)(?:[a-z0-9-]+\.)+[a-z0-9-]+(?::\d+)?/gi,
  // Xinference, of its workers.
  /(?<=\[address=)[^\s,\]]+/gi,
  /\b(?:https?|wss?):\/\/[^\s"'<>)\]/]+(?:\/[^\s"'<>)\]/]+)*?\/(?:v\d+\w*|chat|completions|responses|messages)\b[^\s"'<>)\]]*/gi,
];

/** What speaks of the operator's account with the vendor, and of what is left on it. */
const balanceWords: readonly RegExp[] = [
  /\b(?:(?:credit|account) balance|(?:insufficient|not enough|remain(?:ing)?) (?:(?:account|credit|user|token|pre-?paid) )?(?:balance|credits?|quota|funds)|(?:balance|credits?|quota|funds) (?:(?:is|are|has been) )?(?:too low|insufficient|not enough|exhausted|depleted)|top[ -]up|recharge your|in arrears|overdue payment|billing hard limit|plans & billing|billing details)\b/i,
  /\b(?:(?:your|current|available|wallet|pre-?paid) balance|(?:credits?|quota|funds) (?:left|remaining)|(?:add|buy|more|no|out of|purchase|used all available) (?:credits?|funds)|only afford|spend(?:ing)? (?:cap|limit)|api usage limits)\b/i,
  // An amount: of money, or told as what a balance is.
  /\b(?:balance|budget|credits?|quota|funds|wallet)\b[^.!?\n]{0,40}[$¥￥＄€] ?-?\d/i,
  /\bbalance(?: is| of)?[\s:=]{1,2}-?\d/i,
  /余额|欠费|充值|预扣费|额度(?:不足|已用|用尽|耗尽)|剩余额度|可用(?:额度|资金)|余量/,
];

/** True for a text that tells of money of the operator's. */
function tellsBalance(text: string): boolean {
  return balanceWords.some((words) => words.test(text));
}

/** Ends of sentences; a point within a number or a name is none. */
const betweenSentences = /(?<=[.!?](?=\s)|[\n。！？])/;

/** The text without its sentences about money. */
function withoutBalances(text: string): string {
  if (!tellsBalance(text)) return text;
  const told = text.split(betweenSentences);
  return told.map((part) => (tellsBalance(part) ? part.replace(/\S.*$/s, hidden) : part)).join('');
}

function escapeForPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The part of a host name that its owner registered, as far as a rule of thumb tells. */
function registeredDomain(host: string): string {
  const labels = host.split('.');
  const isCountryTwoPart = /^(com|co|net|org|gov|ac)$/.test(labels[labels.length - 2] ?? '') && labels.length > 2;
  return labels.slice(isCountryTwoPart ? -3 : -2).join('.');
}

/** Every name under the domain of the upstream's address; undefined for an address that is none. */
function hostPattern(baseUrl: string): RegExp | undefined {
  if (!URL.canParse(baseUrl)) return undefined;
  const { hostname, host } = new URL(baseUrl);
  if (hostname === '') return undefined;
  const isNumeric = /^[\d.]+$|^\[/.test(hostname);
  if (isNumeric || !hostname.includes('.'))
    return new RegExp(`${escapeForPattern(host)}|\\b${escapeForPattern(hostname)}\\b`, 'gi');
  const domain = escapeForPattern(registeredDomain(hostname));
  return new RegExp(`(?:https?://)?(?<![\\w.-])(?:[\\w-]*\\.)*${domain}(?::\\d+)?(?:/[^\\s"'<>)\\]]*)?`, 'gi');
}

/** The text without anything that looks like a key: fit for operators and logs. */
export function maskKeys(text: string): string {
  return keyPatterns.reduce((masked, pattern) => masked.replace(pattern, hidden), text);
}

/** Places by which vendors with several of them are told the one to ask: no secret, and what their words are about. */
const place = /^[a-z]{2,}(?:-[a-z]+)+-?\d+$/;

/** What of a key of several parts is known by itself: its ids and secrets, without words that anybody may use. */
function partsOf(key: string): readonly string[] {
  const parts = key.startsWith('{') ? [] : key.split(/[|.]/);
  return parts.filter((part) => part.length >= SECRET_IN_WORD_LENGTH && /\d/.test(part) && !place.test(part));
}

/**
 * Takes a key, and each part of one that has several, out of texts literally. It comes before anything else is done to
 * them: what a pattern or a cut leaves of a key is not the key any more, and would stay. Keys of fewer than 8 characters
 * may be parts of words, and are left.
 */
export function keyRemover(key: string): (text: string) => string {
  const secrets = key.length >= SECRET_IN_WORD_LENGTH ? [key, ...partsOf(key)] : [];
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, hidden), text);
}

/** What a text must not name beside the things that are recognised by their form. */
export interface MaskedNames {
  /** Address of the channel: its host and every name under its domain go. */
  readonly baseUrl: string;
  /** The channel's key, name, organisation: taken out literally. Words of fewer than 3 characters are left alone. */
  readonly secrets: readonly string[];
}

/** A code, a type or the name of a field as a client may see it. Names of channels stay: they may be words of codes. */
export function maskWord(word: string, { baseUrl, secret }: { baseUrl: string; secret: string }): string {
  return maskText(word, { baseUrl, secrets: secret.length >= SECRET_IN_WORD_LENGTH ? [secret] : [] });
}

/** The text as a client may see it. */
export function maskText(text: string, names: MaskedNames): string {
  let masked = text;
  for (const secret of names.secrets) if (secret.length >= 3) masked = masked.replaceAll(secret, hidden);
  const host = hostPattern(names.baseUrl);
  if (host !== undefined) masked = masked.replace(host, hidden);
  const patterns = [...reachedPatterns, ...accountPatterns];
  return withoutBalances(patterns.reduce((rest, pattern) => rest.replace(pattern, hidden), maskKeys(masked)));
}
