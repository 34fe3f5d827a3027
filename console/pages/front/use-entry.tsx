/** Coming in: what all ways to sign in have in common on the pages before the console. */
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useSearchParams } from 'react-router-dom';
import type { LoginView } from '../../../daemon/contract/account.ts';
import { toast } from '../../components/toast.ts';
import { safeReturnTo } from '../../session/return-to.ts';
import { enter } from '../../sign-in/enter.ts';
import { neededStep, pendingStep } from '../../sign-in/second-step.ts';

export interface Entry {
  /** The address the visitor was sent here from, if it is one of this site. */
  readonly returnTo: string | undefined;
  /** Remembers the user and goes on to `returnTo`, else to `otherwise`. */
  readonly come: (user: LoginView, otherwise: string, returnTo?: string) => void;
  /** Goes to ask for the second factor, and then on as `come` does; false when the refusal is about something else. */
  readonly stepOn: (refusal: unknown, otherwise: string, returnTo?: string) => Promise<boolean>;
}

export function useEntry(): Entry {
  const { t } = useTranslation('front');
  const navigate = useNavigate();
  const [query] = useSearchParams();
  const returnTo = safeReturnTo(query.get('returnTo'));
  const come = useCallback(
    (user: LoginView, otherwise: string, kept?: string) => {
      enter(user);
      toast.success(t('login.done'));
      navigate(kept ?? returnTo ?? otherwise, { replace: true });
    },
    [t, navigate, returnTo],
  );
  const stepOn = useCallback(
    async (refusal: unknown, otherwise: string, kept?: string) => {
      const step = await neededStep(refusal);
      if (!step) return false;
      pendingStep.set({ ...step, target: kept ?? returnTo ?? otherwise });
      navigate('/login', { replace: true });
      return true;
    },
    [navigate, returnTo],
  );
  return { returnTo, come, stepOn };
}

/** Stays until it is closed: everybody knows that password. */
export function warnOfDefaultPassword(text: string, linkText: string): void {
  toast.error(text, { isLasting: true, extra: <Link to="/personal?tab=security">{linkText}</Link> });
}
