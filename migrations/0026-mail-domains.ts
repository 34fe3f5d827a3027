/**
 * Mail addresses of accounts have their domain as it is delivered to, in ASCII: written in letters of other scripts, or in
 * wide ones, they would be found no more, and the same recipient could have two accounts.
 */
import { domainToASCII } from 'node:url';
import type { Knex } from 'knex';

interface Addressed {
  readonly id: number;
  readonly email: string;
}

const portion = 1000;

export const mailDomains = {
  name: '0026-mail-domains',
  async up(db: Knex): Promise<void> {
    for (let after = 0; ; ) {
      const users: Addressed[] = await db('users')
        .select('id', 'email')
        .whereNotNull('email')
        .where('id', '>', after)
        .orderBy('id')
        .limit(portion);
      for (const user of users) await rewrite(db, user);
      const last = users.at(-1);
      if (last === undefined || users.length < portion) return;
      after = last.id;
    }
  },
};

/** An address that is another account's by now, or whose domain is none, stays as it is. */
async function rewrite(db: Knex, { id, email }: Addressed): Promise<void> {
  const at = email.lastIndexOf('@') + 1;
  const domain = email.slice(at);
  if (/^[ -~]*$/.test(domain)) return;
  const delivered = domainToASCII(domain);
  const written = email.slice(0, at) + delivered;
  if (delivered === '' || (await db('users').where({ email: written }).first('id')) !== undefined) return;
  await db('users').where({ id }).update({ email: written });
}
