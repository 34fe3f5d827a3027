import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OptionKey, OptionValues } from '../../../daemon/contract/options.ts';
import { optionWarnings } from '../../../daemon/domain/option-warnings.ts';
import type { UserRecord } from '../../../daemon/store/users.ts';
import { type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';
import { optionsView } from '../../support/options-view.ts';

const warnings = suite<{ world: DomainWorld }>('warnings about options');
warnings.before.each(async (context) => {
  context.world = await openDomainWorld();
});
warnings.after.each(({ world }) => world.close());

async function addRoot({ database }: DomainWorld): Promise<UserRecord> {
  const root = { username: 'root', displayName: '', role: 100, status: 1, email: null, group: 'default' } as const;
  const added = await database.stores.users.insert({ ...root, affCode: 'root', inviterId: 0, createdAt: 1 });
  if (!added.inserted) throw new Error('no root');
  return added.user;
}

const site = 'https://gate.example.org';

warnings(
  'count a passkey of the super administrator as a way in, while the address is the host that it was made for',
  async ({ world }) => {
    const { stores } = world.database;
    const root = await addRoot(world);
    const told = async (key: OptionKey, before: OptionValues, after: OptionValues) => {
      const change = { key, before: optionsView(before), after: optionsView(after) };
      return (await optionWarnings(change, stores)).map(({ code }) => code);
    };
    const open = { ServerAddress: site };
    const shut = { ...open, PasswordLoginEnabled: false };
    assert.equal(await told('PasswordLoginEnabled', open, shut), ['root_locked_out']);
    const key = { publicKey: 'k', signCount: 0, transports: '', name: 'k', synced: false, createdAt: 1 };
    await stores.passkeys.insert({ ...key, userId: root.id, credentialId: 'c' });
    assert.equal(await told('PasswordLoginEnabled', open, shut), []);
    assert.equal(await told('ServerAddress', shut, { ...shut, ServerAddress: 'http://10.0.0.1' }), ['root_locked_out']);
    const moved = { ...shut, ServerAddress: 'https://other.example.org' };
    assert.equal(await told('ServerAddress', shut, moved), ['root_locked_out']);
    assert.equal(await told('ServerAddress', shut, { ...shut, ServerAddress: `${site}:8443` }), []);
  },
);

warnings(
  'tell of the last provider that is switched off, once it is the only way in of the super administrator',
  async ({ world }) => {
    const { stores } = world.database;
    const root = await addRoot(world);
    await stores.users.update(root.id, { oidcId: 'somebody' });
    const told = async (PasswordLoginEnabled: boolean) => {
      const before = optionsView({ PasswordLoginEnabled, 'oidc.enabled': true });
      const after = optionsView({ PasswordLoginEnabled, 'oidc.enabled': false });
      return (await optionWarnings({ key: 'oidc.enabled', before, after }, stores)).map(({ code }) => code);
    };
    assert.equal(await told(false), ['root_locked_out']);
    assert.equal(await told(true), []);
  },
);

warnings.run();
