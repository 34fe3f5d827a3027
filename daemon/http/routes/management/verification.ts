/** Routes of mailed codes and links. */
import { contract } from '../../../contract/index.ts';
import type { EmailVerification } from '../../../domain/email-verification.ts';
import type { NoticeTests } from '../../../domain/notice-tests.ts';
import type { PasswordReset } from '../../../domain/password-reset.ts';
import { implement, type Route } from '../../implement.ts';

export interface VerificationDeps {
  readonly emails: EmailVerification;
  readonly reset: PasswordReset;
  readonly noticeTests: Pick<NoticeTests, 'mail'>;
}

export const verificationRoutes = ({ emails, reset, noticeTests }: VerificationDeps): Route[] => [
  implement(contract.verification.sendCode, ({ input, request: { clientAddress, language } }) =>
    emails.sendCode({ email: input.email, clientAddress, language }),
  ),
  implement(contract.verification.requestReset, ({ input, request: { clientAddress, language } }) =>
    reset.request({ email: input.email, clientAddress, language }),
  ),
  implement(contract.verification.testMail, ({ actor, input, request }) =>
    noticeTests.mail(actor, input.email ?? undefined, request.language),
  ),
  implement(contract.verification.reset, ({ input, request }) =>
    reset.confirm({ ...input, clientAddress: request.clientAddress }),
  ),
  implement(contract.verification.bindEmail, ({ actor, input }) => emails.bind(actor, input)),
];
