/** Asks whether a token may be handed to a site or a program, and which one. */
import { Suspense, useEffect } from 'react';
import { randomId } from '../components/random-id.ts';
import { lazyLate } from '../session/late-code.ts';
import { Store, useStore } from '../session/store.ts';

export interface ConsentRequest {
  readonly tokenName: string;
  /** Host of a site, or the name of a program's scheme. */
  readonly receiver: string;
  readonly isPage: boolean;
  readonly hasKeyInQuery: boolean;
  /** False where the server does not show this token's key any more. */
  readonly canUseToken: boolean;
}

/** A token made for this, the token itself, or none. */
export type Consent = 'limited' | 'token' | undefined;

export interface PendingConsent extends ConsentRequest {
  readonly id: string;
  readonly answer: (consent: Consent) => void;
}

const pending = new Store<PendingConsent | undefined>(undefined);

/** A further question takes the place of the one on screen, which is then refused. */
export function askConsent(request: ConsentRequest): Promise<Consent> {
  dismissConsent();
  return new Promise((resolve) => {
    const answer = (consent: Consent) => {
      pending.set(undefined);
      resolve(consent);
    };
    pending.set({ ...request, id: randomId(), answer });
  });
}

/** Refuses the question on screen, as when whoever asked it has gone. */
export function dismissConsent(): void {
  pending.get()?.answer(undefined);
}

const ConsentDialog = lazyLate(() =>
  import('./consent-dialog.tsx').then((module) => ({ default: module.ConsentDialog })),
);

/** Where the question appears; mounted once around the pages. */
export function ConsentHost() {
  useEffect(() => dismissConsent, []);
  const question = useStore(pending);
  return <Suspense fallback={null}>{question && <ConsentDialog key={question.id} question={question} />}</Suspense>;
}
