import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OptionKey } from '../../../daemon/contract/options.ts';
import { type OptionEdit, OptionService, type SentOptionValue } from '../../../daemon/domain/options.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import { userRecord } from '../../support/account-records.ts';
import { actor, type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';

const options = suite<{ world: DomainWorld; service: OptionService }>('domain/options');

const root = actor({ userId: 1, username: 'root', role: 100 });
const admin = actor({ userId: 2, username: 'admin', role: 10 });

options.before.each(async (context) => {
  const world = await openDomainWorld();
  context.world = world;
  context.service = new OptionService({
    database: world.database,
    bus: world.bus,
    current: () => world.snapshots.parsedOptions(),
    seal: (place, plain) => world.keyring.seal(place, plain),
    unseal: (place, sealed) => world.keyring.open(place, sealed),
    nowSeconds: world.nowSeconds,
  });
});
options.after.each(({ world }) => world.close());

async function refusal(work: Promise<unknown>): Promise<TollgateError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof TollgateError) return error;
    throw error;
  }
  throw new Error('was accepted');
}

const stored = async (world: DomainWorld, key: string) => (await world.database.stores.options.find(key))?.value;
const audits = async (world: DomainWorld, key: string) =>
  (await world.database.stores.audits.listBefore({ target: `option:${key}` }, { limit: 10 })).map((row) => ({
    actor: row.actorId,
    ...JSON.parse(row.detail),
  }));

options('is in force on the writing node as soon as the write returns, and audited', async ({ world, service }) => {
  await service.set(admin, 'RetryTimes', 3);
  assert.is(world.snapshots.current().options.get('RetryTimes'), 3);
  assert.equal(await audits(world, 'RetryTimes'), [{ actor: 2, old: '0', new: '3' }]);
});

options('takes a value of 1 MiB, and no byte more', async ({ world, service }) => {
  const longest = '告'.repeat(Math.floor((1024 * 1024) / 3));
  await service.set(root, 'SensitiveWords', longest);
  const refused = await refusal(service.set(root, 'SensitiveWords', `${longest}告`));
  assert.equal([refused.code, refused.params.reason], ['option_invalid', 'must be no longer than 1 MiB']);
  assert.is(await stored(world, 'SensitiveWords'), longest);
});

options('stores only what differs from the default', async ({ world, service }) => {
  await service.set(admin, 'RetryTimes', '3');
  assert.is(await stored(world, 'RetryTimes'), '3');
  await service.set(admin, 'RetryTimes', '0');
  assert.is(await stored(world, 'RetryTimes'), undefined);
  await service.set(admin, 'CheckInEnabled', true);
  await service.set(admin, 'CheckInEnabled', null);
  assert.is(await stored(world, 'CheckInEnabled'), undefined);
});

options('refuses unknown keys, bad values and root keys from administrators', async ({ world, service }) => {
  assert.is((await refusal(service.set(root, 'NoSuchKey', 'x'))).code, 'option_unknown');
  assert.is((await refusal(service.set(root, '__proto__', 'x'))).code, 'option_unknown');
  assert.is((await refusal(service.set(admin, 'RetryTimes', 'many'))).code, 'option_invalid');
  assert.is((await refusal(service.set(admin, 'RetryTimes', ['3']))).code, 'option_invalid');
  assert.is((await refusal(service.set(admin, 'ServerAddress', 'https://x.example'))).code, 'forbidden_role');
  assert.is(await stored(world, 'ServerAddress'), undefined);
});

options('leaves the price map in force when a new one is bad', async ({ world, service }) => {
  const before = world.snapshots.current().options.get('ModelRatio');
  assert.is((await refusal(service.set(admin, 'ModelRatio', '{"a":-1}'))).code, 'option_invalid');
  assert.is(world.snapshots.current().options.get('ModelRatio'), before);
});

options('refuses a map with a name that it could not keep, and changes nothing', async ({ world, service }) => {
  const before = world.snapshots.current().options.get('GroupRatio');
  const error = await refusal(service.set(admin, 'GroupRatio', '{"default":1,"__proto__":2}'));
  const escaped = await refusal(service.set(admin, 'GroupRatio', '{"default":1,"\\u005f_proto__":2}'));
  assert.equal(escaped.params, error.params);
  assert.equal([error.code, error.params.reason], ['option_invalid', 'must not contain __proto__']);
  assert.is(
    (await refusal(service.set(admin, 'RateLimits', '{"model":{"__proto__":{"rpm":1}}}'))).code,
    'option_invalid',
  );
  assert.is(world.snapshots.current().options.get('GroupRatio'), before);
});

options('refuses patterns that need more than linear time', async ({ service }) => {
  const error = await refusal(service.set(admin, 'SensitiveWords', 'word\nregex:(a)\\1'));
  assert.is(error.code, 'option_invalid');
  assert.match(String(error.params.reason), /^entry "regex:\(a\)\\\\1": is not a regular expression/);
});

const unusable = [
  ['claude.model_headers_settings', '{"m":{"x-a":["b\\nc"]}}', 'm.x-a: must be one line that a header can carry'],
  ['claude.model_headers_settings', '{"m":{"Transfer-Encoding":"x"}}', 'm.Transfer-Encoding: cannot be set'],
  ['claude.model_headers_settings', '{"m":{"an x":"x"}}', 'm.an x: is no name of a header'],
  ['claude.model_headers_settings', '{"m":{"Cookie":"x"}}', 'authorization, x-api-key, host and cookie cannot be set'],
  ['Chats', '[{"a":"https://x.example"},{" ":"https://y.example"}]', 'entry 2: must have a name'],
  ['gemini.version_settings', '{"default":"v1beta","m":"v1/../x"}', 'm: must be a version such as v1beta'],
  ['gemini.safety_settings', '{"default":"NEVER"}', 'default: must be one of OFF, BLOCK_NONE'],
  [
    'gemini.safety_settings',
    '{"HARM_CATEGORY_HATE":"OFF"}',
    'HARM_CATEGORY_HATE: is no category; there are default, H',
  ],
  ['SensitiveWords', 'word\nregex:a*', 'entry "regex:a*": would find every text'],
  ['GroupRatio', '{"a,b":1}', 'a,b: group names have 1 to 64 characters'],
  ['RateLimits', '{"user":{"bob":{"rpmm":1}}}', 'user.bob: must not contain rpmm'],
  ['RateLimits', '{"model":{"gpt-*":{"rpm":1},"gp*t*":{"rpm":1}}}', 'gp*t*: must be a model, the beginning of names'],
] as const;
for (const [key, text, reason] of unusable) {
  options(`refuses ${text} for ${key} and names the place`, async ({ world, service }) => {
    const error = await refusal(service.set(root, key, text));
    assert.equal([error.code, error.field], ['option_invalid', key]);
    assert.ok(String(error.params.reason).startsWith(reason), String(error.params.reason));
    assert.is(await stored(world, key), undefined);
  });
}

options('takes of a mail server and of a sender only what mail can be sent with', async ({ world, service }) => {
  const taken = {
    SMTPServer: ['smtp.example.org', 'mail_1', '127.0.0.1', '::1', '2001:db8::25', '::ffff:10.0.0.1', ''],
    SMTPFrom: ['post@example.org', 'cron@localhost', ''],
  };
  for (const key of ['SMTPServer', 'SMTPFrom'] as const) {
    for (const text of taken[key]) {
      await service.set(root, key, ` ${text} `);
      assert.is(world.snapshots.current().options.get(key), text);
    }
  }
  for (const text of ['smtp.example.org:587', 'smtps://smtp.example.org', '[::1]:25', 'a b', 'a/b']) {
    const { params } = await refusal(service.set(root, 'SMTPServer', text));
    assert.is(params.reason, 'must be a name such as smtp.example.org', text);
  }
  for (const text of ['Gate <post@example.org>', 'post', 'a@b.example, c@d.example', '"a"@b.example']) {
    const { params } = await refusal(service.set(root, 'SMTPFrom', text));
    assert.is(params.reason, 'must be an address such as post@example.org', text);
  }
});

options('reads what was stored before it was refused', async ({ world }) => {
  await world.database.stores.options.set('gemini.safety_settings', '{"default":"NEVER"}');
  await world.snapshots.reload('options');
  assert.equal(world.snapshots.current().options.get('gemini.safety_settings'), { default: 'NEVER' });
});

options('puts the model ratios back to the shipped table', async ({ world, service }) => {
  const shipped = world.snapshots.current().options.get('ModelRatio');
  await service.set(admin, 'ModelRatio', '{"only":1}');
  assert.equal(world.snapshots.current().options.get('ModelRatio'), { only: 1 });
  await service.resetModelRatio(admin);
  assert.equal(world.snapshots.current().options.get('ModelRatio'), shipped);
});

options('seals secrets, never shows them and ignores an empty one', async ({ world, service }) => {
  await service.set(root, 'SMTPToken', 'mail password');
  const sealed = await stored(world, 'SMTPToken');
  assert.ok(sealed && !sealed.includes('mail password'));
  assert.is(world.snapshots.current().options.get('SMTPToken'), 'mail password');
  await service.set(root, 'SMTPToken', '');
  assert.is(await stored(world, 'SMTPToken'), sealed);
  const listed = (await service.list()).find(({ key }) => key === 'SMTPToken');
  assert.equal([listed?.value, listed?.set, listed?.defaultText], ['', true, '']);
  assert.not.match(JSON.stringify(await service.list()), /mail password/);
  assert.equal(await audits(world, 'SMTPToken'), [{ actor: 1, old: '', new: '***' }]);
  await service.set(root, 'SMTPToken', null);
  assert.equal((await service.list()).find(({ key }) => key === 'SMTPToken')?.set, false);
});

options('lists every key as text', async ({ service }) => {
  const listed = new Map((await service.list()).map(({ key, value }) => [key, value]));
  assert.is(listed.get('RetryTimes'), '0');
  assert.is(listed.get('GroupRatio'), JSON.stringify({ default: 1, vip: 1, svip: 1 }, null, 2));
  assert.ok(listed.get('EmailDomainWhitelist')?.startsWith('gmail.com,163.com'));
  assert.ok([...listed.values()].every((value) => typeof value === 'string'));
});

options('turns a switch on only while what it needs is filled in', async ({ service }) => {
  const error = await refusal(service.set(root, 'TurnstileCheckEnabled', 'true'));
  assert.is(error.code, 'option_dependency');
  assert.is(error.params.fields, 'TurnstileSiteKey, TurnstileSecretKey');
  await service.set(root, 'TurnstileSiteKey', 'site');
  await service.set(root, 'TurnstileSecretKey', 'secret');
  await service.set(root, 'TurnstileCheckEnabled', 'true');
});

const seedWorker = async (service: OptionService) => {
  await service.set(root, 'WorkerUrl', 'https://one.example');
  await service.set(root, 'WorkerValidKey', 'worker secret');
};

options('clears a secret whose address moves to another origin', async ({ world, service }) => {
  await seedWorker(service);
  world.clock.seconds += 60;
  const warnings = await service.set(root, 'WorkerUrl', 'https://two.example');
  assert.equal(warnings, [{ code: 'secret_cleared', params: { key: 'WorkerValidKey' } }]);
  assert.is(world.snapshots.current().options.get('WorkerValidKey'), '');
  const [cleared] = await audits(world, 'WorkerValidKey');
  assert.match(String(cleared?.cause), /WorkerUrl/);
});

options('keeps a secret that the same actor wrote in the same save', async ({ world, service }) => {
  await seedWorker(service);
  world.clock.seconds += 59;
  await service.set(root, 'WorkerUrl', 'https://two.example');
  assert.is(world.snapshots.current().options.get('WorkerValidKey'), 'worker secret');
  await service.set(actor({ userId: 9, role: 100 }), 'WorkerUrl', 'https://three.example');
  assert.is(world.snapshots.current().options.get('WorkerValidKey'), '');
});

options('keeps a secret when only the path of its address changes', async ({ world, service }) => {
  await seedWorker(service);
  world.clock.seconds += 600;
  await service.set(root, 'WorkerUrl', 'https://one.example/worker/');
  assert.is(world.snapshots.current().options.get('WorkerValidKey'), 'worker secret');
});

options('says how many still carry a removed group, and that default is missing', async ({ world, service }) => {
  const { channels, users } = world.database.stores;
  await channels.insert({ type: 1, name: 'c', createdTime: 0, group: 'default,vip' });
  await users.insert(userRecord({ id: 7, group: 'vip' }));
  // Nobody can move a deleted user to another group.
  await users.softDelete(7, new Date(0));
  const warnings = await service.set(admin, 'GroupRatio', '{"svip":1}');
  assert.equal(warnings, [
    { code: 'group_default_missing' },
    { code: 'group_in_use', params: { groups: 'default, vip', users: 0, tokens: 0, channels: 2 } },
  ]);
});

options('keeps every one of many parallel writes', async ({ world, service }) => {
  const writes: [OptionKey, SentOptionValue][] = [
    ['RetryTimes', 1],
    ['CheckInQuota', 7],
    ['CheckInMaxQuota', 9],
    ['Notice', 'hello'],
    ['QuotaForNewUser', 11],
    ['DataExportInterval', 6],
  ];
  await Promise.all(writes.map(([key, value]) => service.set(admin, key, value)));
  for (const [key, value] of writes) assert.is(String(world.snapshots.current().options.get(key)), String(value));
});

options('changes only what is still as its writer saw it, where that is told', async ({ service }) => {
  const ratios = (await service.list()).find(({ key }) => key === 'GroupRatio')?.value ?? '';
  await service.set(admin, 'GroupRatio', '{"default":1,"one":2}', ratios);
  const late = await refusal(service.set(admin, 'GroupRatio', '{"default":1,"two":2}', ratios));
  assert.equal([late.code, late.field], ['option_changed', 'GroupRatio']);
  const now = (await service.list()).find(({ key }) => key === 'GroupRatio')?.value;
  assert.equal(JSON.parse(now ?? ''), { default: 1, one: 2 });
  await service.set(admin, 'GroupRatio', null, now);
  assert.is((await refusal(service.set(root, 'SMTPToken', 'secret', ''))).code, 'invalid_params');
});

options('says who changed it last, also when it is back at its default', async ({ world, service }) => {
  const rowOf = async (key: OptionKey) => (await service.list()).find((row) => row.key === key);
  assert.is((await rowOf('RetryTimes'))?.lastChange, undefined);
  await service.set(admin, 'RetryTimes', 3);
  const changed = await rowOf('RetryTimes');
  assert.equal([changed?.value, changed?.defaultText, changed?.isChanged], ['3', '0', true]);
  world.clock.seconds += 5;
  await service.set(root, 'RetryTimes', null);
  const reset = await rowOf('RetryTimes');
  assert.equal([reset?.value, reset?.isChanged], ['0', false]);
  assert.equal(reset?.lastChange, {
    key: 'RetryTimes',
    updatedAt: world.clock.seconds,
    actorId: 1,
    actorName: 'root',
  });
  await service.set(root, 'EpayKey', 'secret of the merchant');
  assert.not.match(JSON.stringify(await service.list()), /secret of the merchant/);
  assert.is((await rowOf('EpayKey'))?.isChanged, true);
});

const changing = (change: OptionEdit['change']): OptionEdit => ({ change, version: { cause: 'edit', note: '' } });

options('is edited together with others from the values of the moment, all or none', async ({ world, service }) => {
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      service.edit(
        admin,
        ['ModelRatio', 'ModelPrice'],
        changing((now) => ({
          ModelRatio: { ...now.get('ModelRatio'), [`added-${index}`]: index },
        })),
      ),
    ),
  );
  const { options: inForce } = world.snapshots.current();
  assert.is(Object.keys(inForce.get('ModelRatio')).filter((name) => name.startsWith('added-')).length, 20);
  const broken = service.edit(
    admin,
    ['ModelRatio', 'ModelPrice'],
    changing(() => ({
      ModelRatio: {},
      ModelPrice: { m: -1 },
    })),
  );
  assert.is((await refusal(broken)).code, 'option_invalid');
  assert.is(world.snapshots.current().options.get('ModelRatio')['added-7'], 7);
  assert.is(
    (
      await refusal(
        service.edit(
          admin,
          ['Price'],
          changing(() => ({ Price: 1 })),
        ),
      )
    ).code,
    'forbidden_role',
  );
});

options.run();
