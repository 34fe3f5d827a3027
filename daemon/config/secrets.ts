/**
 * Everything that is derived from the one root secret: a key of its own for each purpose (HKDF), so that what serves
 * one purpose says nothing about another (D4, S20). Nothing here reads a file or the environment.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** Where a sealed value is kept: it opens nowhere else. */
export interface SealContext {
  readonly table: string;
  readonly column: string;
  /** What names the row for good, such as its id or look-up hash. */
  readonly row: string;
}

export interface Keyring {
  /** Tells one root secret from another, and nothing else of it: 16 hex digits. */
  readonly mark: string;
  /** Look-up form of a relay key: HMAC-SHA256, 64 hex digits. On the way of every request. */
  tokenHash(key: string): string;
  /** Names a channel key within its channel: the first 16 hex digits of its SHA-256. */
  channelKeyHash(key: string): string;
  /** Look-up form of a session id: HMAC-SHA256, 64 hex digits. */
  sessionHash(id: string): string;
  /** Look-up form of a system access token: SHA-256, 64 hex digits; the token itself is random enough. */
  accessTokenHash(token: string): string;
  /** Look-up form of a machine token's secret: HMAC-SHA256, 64 hex digits. */
  machineTokenHash(secret: string): string;
  /** Look-up form of short codes and links, bound to what they are for: HMAC-SHA256, 64 hex digits. */
  codeHash(purpose: string, subject: string, code: string): string;
  /** Encrypts a value for its place (AES-256-GCM); the result is text. */
  seal(context: SealContext, plain: string): string;
  /** Throws `SealBroken` when the value is not whole, or was sealed for another place or under another secret. */
  open(context: SealContext, sealed: string): string;
  /** Cookie value of a session id. */
  signSession(id: string): string;
  /** The session id of a cookie value; undefined when the signature is not ours. */
  verifySession(value: string): string | undefined;
}

/** A sealed value that cannot be opened; the text says nothing about the value. */
export class SealBroken extends Error {
  constructor(context: SealContext, cause?: unknown) {
    super(`a sealed value of ${context.table}.${context.column} cannot be opened`, { cause });
    this.name = 'SealBroken';
  }
}

/** First letter of a sealed value; a later form gets another. */
const SEAL_VERSION = 'A';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** HKDF labels; changing one makes everything under it unreadable. */
const labels = {
  token: 'tollgate/relay-token/look-up/1',
  machineToken: 'tollgate/machine-token/look-up/1',
  session: 'tollgate/session/look-up/1',
  cookie: 'tollgate/session/signature/1',
  code: 'tollgate/verification-code/look-up/1',
  seal: 'tollgate/column-seal/1',
  mark: 'tollgate/root-secret/mark/1',
} as const;

/** @param rootSecret any text of the operator's or 32 random bytes as text; its strength is that of everything here. */
export function createKeyring(rootSecret: string): Keyring {
  if (rootSecret === '') throw new Error('the root secret is empty');
  const root = Buffer.from(rootSecret, 'utf8');
  const derive = (label: string): KeyObject =>
    createSecretKey(Buffer.from(hkdfSync('sha256', root, Buffer.alloc(0), label, 32)));
  const keys = {
    token: derive(labels.token),
    machineToken: derive(labels.machineToken),
    session: derive(labels.session),
    cookie: derive(labels.cookie),
    code: derive(labels.code),
  };
  // Each table column has a key of its own below that of sealing, so that the number of values under one stays small.
  const columnKeys = new Map<string, KeyObject>();
  const columnKey = ({ table, column }: SealContext): KeyObject => {
    const name = `${table}.${column}`;
    let key = columnKeys.get(name);
    if (!key) {
      key = derive(`${labels.seal}/${name}`);
      columnKeys.set(name, key);
    }
    return key;
  };
  return {
    mark: derive(labels.mark).export().toString('hex').slice(0, 16),
    tokenHash: (key) => createHmac('sha256', keys.token).update(key).digest('hex'),
    channelKeyHash: (key) => createHash('sha256').update(key).digest('hex').slice(0, 16),
    sessionHash: (id) => createHmac('sha256', keys.session).update(id).digest('hex'),
    accessTokenHash: (token) => createHash('sha256').update(token).digest('hex'),
    machineTokenHash: (secret) => createHmac('sha256', keys.machineToken).update(secret).digest('hex'),
    codeHash: (purpose, subject, code) =>
      createHmac('sha256', keys.code)
        .update(framed([purpose, subject, code]))
        .digest('hex'),
    seal: (context, plain) => seal(columnKey(context), context, plain),
    open: (context, sealed) => open(columnKey(context), context, sealed),
    signSession: (id) => `${id}.${signature(keys.cookie, id)}`,
    verifySession(value) {
      const at = value.lastIndexOf('.');
      if (at <= 0) return undefined;
      const id = value.slice(0, at);
      return equalTexts(value.slice(at + 1), signature(keys.cookie, id)) ? id : undefined;
    },
  };
}

/** Compares two secrets in a time that says nothing about where they differ. */
export function equalTexts(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

function seal(key: KeyObject, context: SealContext, plain: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(placeOf(context));
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return SEAL_VERSION + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
}

function open(key: KeyObject, context: SealContext, sealed: string): string {
  const bytes = Buffer.from(sealed.slice(1), 'base64url');
  if (!sealed.startsWith(SEAL_VERSION) || bytes.length < NONCE_BYTES + TAG_BYTES) throw new SealBroken(context);
  try {
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(placeOf(context));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const body = bytes.subarray(NONCE_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
  } catch (cause) {
    throw new SealBroken(context, cause);
  }
}

function signature(key: KeyObject, id: string): string {
  return createHmac('sha256', key).update(id).digest('base64url');
}

function placeOf({ table, column, row }: SealContext): Buffer {
  return framed([table, column, row]);
}

/** Each part behind its length, so that no two lists of parts make the same bytes. */
function framed(parts: readonly string[]): Buffer {
  return Buffer.from(parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join(''), 'utf8');
}
