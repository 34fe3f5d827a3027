/** Codes of authenticator apps (RFC 6238): six digits, thirty seconds, SHA-1, as every app understands them. */
import { Secret, TOTP } from 'otpauth';

const periodSeconds = 30;
/** RFC 4226 recommends 160 bits. */
const secretBytes = 20;
/** Steps before and after the present one whose codes are taken, for clocks that differ and slow fingers. */
const tolerance = 1;

/** A new secret in base32. */
export function newTotpSecret(): string {
  return new Secret({ size: secretBytes }).base32;
}

/** What an authenticator app reads from a QR code. */
export function totpAddress(secret: string, shown: { issuer: string; username: string }): string {
  return totpOf(secret, { issuer: shown.issuer, label: shown.username }).toString();
}

/** The time step that a code belongs to; undefined when it is none of those around the moment. */
export function totpStep(secret: string, code: string, nowSeconds: number): number | undefined {
  const token = code.replaceAll(/[\s-]/g, '');
  if (!/^\d{6}$/.test(token)) return undefined;
  const timestamp = nowSeconds * 1000;
  const delta = totpOf(secret).validate({ token, timestamp, window: tolerance });
  return delta === null ? undefined : Math.floor(nowSeconds / periodSeconds) + delta;
}

function totpOf(secret: string, shown: { issuer?: string; label?: string } = {}): TOTP {
  return new TOTP({ ...shown, secret, algorithm: 'SHA1', digits: 6, period: periodSeconds });
}
