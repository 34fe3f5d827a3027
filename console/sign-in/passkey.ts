/** What the browser does with passkeys; the library that speaks with it is loaded when one is used. */

import type { LoginView } from '../../daemon/contract/account.ts';
import { passkeys as endpoints, type UsedPasskey } from '../../daemon/contract/passkeys.ts';
import { callsFor } from '../api/client.ts';

const passkeys = callsFor(endpoints);

/** Why the browser makes no passkey: the device has one of this account, or can keep none of the kind. */
export class PasskeyNotMade extends Error {
  readonly why: 'known' | 'unable';

  constructor(why: 'known' | 'unable') {
    super(why);
    this.why = why;
  }
}

/**
 * Signs in by a passkey that the user picks, from the list of names in the field where `way` says so. Undefined when the
 * user picks none.
 */
export async function signInByPasskey(way: 'dialog' | 'autofill'): Promise<LoginView | undefined> {
  const { browserSupportsWebAuthnAutofill } = await import('@simplewebauthn/browser');
  const useBrowserAutofill = way === 'autofill';
  if (useBrowserAutofill && !(await browserSupportsWebAuthnAutofill())) return undefined;
  // Nobody has asked for the list: where it fails the button will tell.
  const asked = await passkeys.beginSignIn().catch((error: unknown) => {
    if (useBrowserAutofill) return undefined;
    throw error;
  });
  const used = asked && (await pickedPasskey(asked, { useBrowserAutofill }));
  return used && passkeys.signIn(used);
}

/** A passkey that the user unlocks for what the server asks; undefined when they unlock none. */
export async function pickedPasskey(
  asked: object,
  { useBrowserAutofill = false } = {},
): Promise<UsedPasskey | undefined> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const optionsJSON = optionsOf<Parameters<typeof startAuthentication>[0]['optionsJSON']>(asked);
  const used = await unlessLeft(() => startAuthentication({ optionsJSON, useBrowserAutofill }));
  if (!used) return undefined;
  const { clientDataJSON, authenticatorData, signature, userHandle = '' } = used.response;
  return { id: used.id, response: { clientDataJSON, authenticatorData, signature, userHandle } };
}

/** Makes a passkey and keeps it under the name; false when the user made none. Rejects with `PasskeyNotMade`. */
export async function addPasskey(name: string): Promise<boolean> {
  const { startRegistration } = await import('@simplewebauthn/browser');
  const optionsJSON = optionsOf<Parameters<typeof startRegistration>[0]['optionsJSON']>(await passkeys.beginAdding());
  const made = await unlessLeft(() => startRegistration({ optionsJSON })).catch((error: unknown) => {
    const isKnown = error instanceof Error && error.name === 'InvalidStateError';
    throw new PasskeyNotMade(isKnown ? 'known' : 'unable');
  });
  if (!made) return false;
  const { clientDataJSON, attestationObject, transports = [] } = made.response;
  await passkeys.add({ name, id: made.id, response: { clientDataJSON, attestationObject, transports } });
  return true;
}

// The server has made them for this very call of the browser; their type is the library's, whose code is not here yet.
function optionsOf<T>(options: object): T {
  return options as T;
}

/** Undefined when the user, or a newer question of the page, has called it off. */
async function unlessLeft<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    const names = error instanceof Error ? [error.name, error.cause instanceof Error ? error.cause.name : ''] : [];
    if (names.includes('NotAllowedError') || names.includes('AbortError')) return undefined;
    throw error;
  }
}
