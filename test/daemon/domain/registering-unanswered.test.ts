/** Registrations whose database goes away while they are made. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { firstKeyIssuer } from '../../../daemon/domain/first-key.ts';
import { RegistrationService } from '../../../daemon/domain/registration.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import { FlakyDatabase } from '../../ledger/flaky-database.ts';
import { isUnavailable } from '../../store/rejection.ts';
import { type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';
import { optionsView } from '../../support/options-view.ts';

const registering = suite<{ world: DomainWorld; database: FlakyDatabase }>('registrations without an answer');

registering.before.each(async (context) => {
  context.world = await openDomainWorld();
  context.database = new FlakyDatabase(context.world.database);
});

registering.after.each(({ world }) => world.close());

const request = {
  username: 'carol',
  password: 'long enough',
  passwordAgain: undefined,
  email: '',
  verificationCode: '',
  affCode: '',
  requestId: 'r',
};

interface Wish {
  readonly database: FlakyDatabase;
  /** What this registration's password is stored as. */
  readonly hash: string;
  readonly issueFirstKey?: ReturnType<typeof firstKeyIssuer>;
}

function registrationOf({ nowSeconds }: DomainWorld, { database, hash, issueFirstKey }: Wish): RegistrationService {
  return new RegistrationService({
    database,
    passwords: { hash: async () => hash } as never,
    options: () => optionsView({ QuotaForNewUser: 700 }),
    setupDone: () => true,
    emailProof: undefined,
    issueFirstKey,
    language: 'en',
    nowSeconds,
  });
}

registering('are told as done when only the answer to their commit was lost', async ({ world, database }) => {
  database.weather = 'lost-answer';
  const user = await registrationOf(world, { database, hash: 'salt and hash' }).register(request);
  const stored = await world.database.stores.users.findByUsername('carol');
  assert.equal([user.id, user.quota, stored?.quota], [stored?.id, 700, 700]);
});

registering('are told as failed when their name is that of somebody else', async ({ world, database }) => {
  await registrationOf(world, { database, hash: 'of another' }).register(request);
  database.weather = 'away';
  await isUnavailable(registrationOf(world, { database, hash: 'salt and hash' }).register(request));
});

registering('are told as done without the first key that could not be made', async ({ world, database }) => {
  const reports: unknown[] = [];
  const tokens = { create: () => Promise.reject(new TollgateError('db_unavailable')) };
  const issueFirstKey = firstKeyIssuer(tokens, ({ userId, error }) =>
    reports.push([userId, error instanceof TollgateError && error.code]),
  );
  const { id } = await registrationOf(world, { database, hash: 'salt and hash', issueFirstKey }).register(request);
  assert.equal(reports, [[id, 'db_unavailable']]);
});

registering.run();
