/** An authenticator in software: makes passkeys (ES256, no attestation) and signs with them, well or badly. */
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

export interface SoftwarePasskey {
  readonly id: string;
  readonly userHandle: string;
  readonly privateKey: KeyObject;
}

/** What stands in the browser's options, as far as an authenticator reads them. */
interface BrowserOptions {
  readonly challenge?: unknown;
}

/** What may be wrong with an answer. */
export interface Manner {
  readonly origin: string;
  readonly partyId: string;
  readonly userVerified?: boolean;
  readonly signCount?: number;
}

/** Makes a passkey as a browser hands it over. */
export function makePasskey(options: BrowserOptions & { readonly user?: unknown }, manner: Manner) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const credential = randomBytes(32);
  const cose = Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
    Buffer.from(x, 'base64url'),
    Buffer.from([0x22, 0x58, 0x20]),
    Buffer.from(y, 'base64url'),
  ]);
  const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, credential.length]), credential, cose]);
  const data = authenticatorData(manner, attested);
  const attestationObject = Buffer.concat([
    Buffer.from([0xa3]),
    cborText('fmt'),
    cborText('none'),
    cborText('attStmt'),
    Buffer.from([0xa0]),
    cborText('authData'),
    Buffer.from([0x58, data.length]),
    data,
  ]);
  const id = credential.toString('base64url');
  const passkey: SoftwarePasskey = { id, userHandle: String(Reflect.get(Object(options.user), 'id')), privateKey };
  const clientDataJSON = clientData('webauthn.create', options, manner).toString('base64url');
  const response = { clientDataJSON, attestationObject: attestationObject.toString('base64url'), transports: ['usb'] };
  return { passkey, made: { id, response } };
}

/** Signs in with a passkey. */
export function signWithPasskey(passkey: SoftwarePasskey, options: BrowserOptions, manner: Manner) {
  const data = authenticatorData(manner);
  const client = clientData('webauthn.get', options, manner);
  const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
  return {
    id: passkey.id,
    response: {
      clientDataJSON: client.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: createSign('sha256').update(signed).sign(passkey.privateKey).toString('base64url'),
      userHandle: passkey.userHandle,
    },
  };
}

function clientData(type: string, { challenge }: BrowserOptions, { origin }: Manner): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

function authenticatorData(
  { partyId, userVerified = true, signCount = 0 }: Manner,
  attested = Buffer.alloc(0),
): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(signCount);
  const flags = 0x01 | (userVerified ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0);
  return Buffer.concat([createHash('sha256').update(partyId).digest(), Buffer.from([flags]), count, attested]);
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}
