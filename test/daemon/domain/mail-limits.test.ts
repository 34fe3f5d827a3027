import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryCounters } from '../../../daemon/cluster/memory-counters.ts';
import { EmailVerification } from '../../../daemon/domain/email-verification.ts';
import { MailLimits } from '../../../daemon/domain/mail-limits.ts';
import { MailedCodes } from '../../../daemon/domain/mailed-codes.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import { openDomainWorld } from '../../support/domain-world.ts';
import { optionsView } from '../../support/options-view.ts';
import { codeOf } from '../../support/refusal-code.ts';

const limits = suite('limits of mails');
const rule = (count: number) => ({ enabled: true, count, seconds: 30 });

limits(
  'let a recipient be written to again at once after a mail that failed, and count it for its caller',
  async () => {
    const world = await openDomainWorld();
    const { database, bus, nowSeconds } = world;
    let isDown = true;
    let sent = 0;
    const verification = new EmailVerification({
      ...{ database, bus, nowSeconds, options: () => optionsView({}), emailChanged: () => undefined },
      codes: new MailedCodes({ stores: database.stores, hash: (...parts) => parts.join(), nowSeconds }),
      mailer: {
        send: async () => {
          if (isDown) throw new TollgateError('mail_failed');
          sent += 1;
        },
      },
      limits: new MailLimits({
        counters: new MemoryCounters({ now: () => nowSeconds() * 1000 }),
        perCaller: rule(3),
        perRecipient: rule(1),
        perRecipientAndDay: rule(10),
      }),
    });
    const ask = (email: string, clientAddress: string) =>
      codeOf(verification.sendCode({ email, clientAddress, language: 'en' }));
    assert.is(await ask('ann@example.org', '192.0.2.1'), 'mail_failed');
    isDown = false;
    assert.is(await ask('ann@example.org', '192.0.2.1'), 'accepted');
    assert.is(await ask('ann@example.org', '192.0.2.1'), 'too_many_requests', 'one arrived');
    assert.is(sent, 1);
    isDown = true;
    for (let at = 0; at < 3; at += 1) assert.is(await ask('bob@example.org', '192.0.2.2'), 'mail_failed');
    assert.is(await ask('bob@example.org', '192.0.2.2'), 'too_many_requests', 'the caller has had three');
    await world.close();
  },
);

limits.run();
