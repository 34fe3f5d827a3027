/** Declared state against a whole daemon: every line of cli.md 4.2, with the rules of single changes behind it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { StatePlanView } from '../../../daemon/contract/state.ts';
import type { StateDocument } from '../../../daemon/contract/state-document.ts';
import { signedIn } from '../../support/api-browser.ts';
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts';
import { assertRefused, refusalOf } from '../../support/refusals.ts';

const state = suite('domain/declared-state');

let daemon: TestDaemon;

state.before(async () => {
  daemon = await startTestDaemon();
});
state.after(() => daemon?.stop());

type Sections = Partial<Omit<StateDocument, 'apiVersion' | 'set'>>;

const document = (set: string, sections: Sections): StateDocument => ({ apiVersion: 'tollgate/v1', set, ...sections });

/** `+ channel main`, `~ option RetryTimes value 0 -> 2`. */
function lines({ changes, orphans, guards }: StatePlanView): string[] {
  return [
    ...changes.map(({ action, kind, key, fields }) => {
      const told =
        action === 'create' ? [] : fields.map(({ path, from, to }) => `${path} ${json(from)} -> ${json(to)}`);
      return [action, kind, key, told.join(', ')].join(' ').trim();
    }),
    ...orphans.map(({ kind, key }) => `orphan ${kind} ${key}`),
    ...guards.map(({ code, key }) => `! ${code} ${key}`.trim()),
  ];
}

const json = (value: unknown) => JSON.stringify(value);
const sorted = (members: object) => Object.fromEntries(Object.entries(members).sort());

const everything: Sections = {
  options: { RetryTimes: 2, SMTPToken: { value: 'canary-mail-secret' }, EmailDomainWhitelist: ['a.example'] },
  groups: { gold: { ratio: 0.8, usable: true, description: 'Gold' } },
  prices: { 'house-model': { input_usd_per_million: 0.2, output_usd_per_million: 0.6 } },
  rate_rules: [{ who: 'group:gold', model: 'gpt-*', ratio: 0.7 }],
  limits: { 'group:gold': { rpm: 100 } },
  alerts: {
    rules: { 'error-rate': { enabled: true, threshold: 30 } },
    targets: { pager: { type: 'webhook', address: 'https://pager.example.com/in', secret: { value: 'canary-pager' } } },
  },
  channels: {
    main: {
      type: 'openai',
      keys: [{ value: 'sk-canary-one' }, { value: 'sk-canary-two' }],
      models: ['gpt-4o', 'house-model'],
      groups: ['default', 'gold'],
      weight: 20,
      model_mapping: { 'gpt-4': 'gpt-4o' },
      budgets: { 'quota/month': 10_000_000, 'requests/day': 500 },
    },
  },
};

const apply = (set: string, sections: Sections, wish: object = {}) =>
  daemon.root.state.apply({ document: document(set, sections), ...wish });
const plan = (set: string, sections: Sections, wish: object = {}) =>
  daemon.root.state.plan({ document: document(set, sections), ...wish });
const planned = async (set: string, sections: Sections, wish: object = {}) => lines(await plan(set, sections, wish));

async function optionValue(key: string): Promise<string | undefined> {
  return (await daemon.root.options.list()).find((option) => option.key === key)?.value;
}

async function channels() {
  return (await daemon.root.channels.list({ page: 1, page_size: 100, id_sort: true })).items;
}

async function budgetsOf(channelId = 0) {
  const { items } = await daemon.root.budgets.list({ on: `channel:${channelId}` });
  return items.map(({ kind, per, limit }) => `${kind} ${per} ${limit}`);
}

state('makes what a document names in one go, tells it in the audit log, and then finds nothing to do', async () => {
  const first = await plan('prod', everything);
  const { create, change } = first.summary;
  assert.equal([create, change], [6, 4], json(lines(first)));
  await apply('prod', everything, { plan_id: first.plan_id, message: 'first' });
  assert.equal(await planned('prod', everything), []);
  const [main] = await channels();
  assert.equal([main?.name, main?.weight, main?.group], ['main', 20, 'default,gold']);
  assert.equal(await budgetsOf(main?.id), ['quota month 10000000', 'requests day 500']);
  assert.is(await optionValue('RetryTimes'), '2');
  const rows = await daemon.root.audits.list({ page: 1, page_size: 100, target: `channel:${main?.id}` });
  assert.equal(
    rows.items.map(({ action }) => action),
    ['state.create'],
  );
  assert.match(json(rows.items[0]?.detail) ?? '', /"set\W+prod\W+plan\W+[0-9a-f]{16}.*first/);
  const told = await daemon.root.audits.list({ page: 1, page_size: 100, action: 'state.update' });
  assert.is(told.items.length, 4);
});

state('updates what differs, leaves what nobody names, and says who wrote it since', async () => {
  await daemon.root.options.set({ key: 'RetryTimes', value: '5' });
  const [main] = await channels();
  await daemon.root.channels.update({ id: main?.id ?? 0, weight: 7, priority: 3 });
  const moved = await plan('prod', everything);
  assert.equal(lines(moved), ['update option RetryTimes value 5 -> 2', 'update channel main weight 7 -> 20']);
  assert.equal(
    moved.changes.map(({ fields }) => fields[0]?.changed_by?.name),
    ['root', 'root'],
  );
  await apply('prod', everything);
  const [after] = await channels();
  assert.equal([after?.weight, after?.priority], [20, 3]);
});

state('puts a field back to its default when the document does not name it any more', async () => {
  const { weight: _weight, model_mapping: _mapping, ...main } = everything.channels?.main ?? {};
  const sections = { ...everything, channels: { main }, limits: { 'group:gold': { tpm: 9 } } };
  assert.equal(await planned('prod', sections), [
    'update limit group:gold tpm 0 -> 9, rpm 100 -> 0',
    'update channel main weight 20 -> 0, model_mapping {"gpt-4":"gpt-4o"} -> {}',
  ]);
  await apply('prod', sections);
  const [after] = await channels();
  assert.equal([after?.weight, after?.model_mapping], [0, '']);
  await apply('prod', everything);
});

state('changes budgets of channels one by one, and takes them away with their field', async () => {
  const [main] = await channels();
  const { id = 0 } = main ?? {};
  await daemon.root.budgets.set({ on: `channel:${id}`, kind: 'quota', per: 'month', limit: 7 });
  const budgets = { 'requests/day': 500, 'quota/month': 10_000_000 };
  const drift = '{"quota/month":7,"requests/day":500}';
  assert.equal(await planned('prod', everything), [`update channel main budgets ${drift} -> ${json(sorted(budgets))}`]);
  await apply('prod', everything);
  assert.equal(await budgetsOf(id), ['quota month 10000000', 'requests day 500']);
  const turned = { ...everything, channels: { main: { ...everything.channels?.main, budgets } } };
  assert.equal(await planned('prod', turned), [], 'the order of budgets says nothing');
  const { budgets: _budgets, ...bare } = everything.channels?.main ?? {};
  await apply('prod', { ...everything, channels: { main: bare } });
  assert.equal(await budgetsOf(id), []);
  const odd = { ...everything, channels: { main: { ...bare, budgets: { 'quota/year': 5 } } } };
  await assertRefused(plan('prod', odd), 'invalid_params');
  await apply('prod', everything);
});

state(
  'takes a channel that was disabled by itself for enabled, and enables one that was disabled by hand',
  async () => {
    const [main] = await channels();
    const id = main?.id ?? 0;
    const wish = { ...everything, channels: { main: { ...everything.channels?.main, status: 'enabled' as const } } };
    await daemon.root.channels.setStatus({ id, status: 2 });
    assert.equal(await planned('prod', wish), ['update channel main status "disabled" -> "enabled"']);
    await apply('prod', wish);
    assert.is((await channels())[0]?.status, 1);
  },
);

state('lists orphans always, and deletes them by wish alone and within the limits', async () => {
  const { channels: _channels, ...fewer } = everything;
  assert.equal(await planned('prod', fewer), ['orphan channel main']);
  await apply('prod', fewer);
  assert.is((await channels()).length, 1);
  const guards = ['! state_group_empty default', '! state_group_empty gold'];
  assert.equal(await planned('prod', fewer, { prune: true }), ['delete channel main', ...guards]);
  await assertRefused(apply('prod', fewer, { prune: true }), 'state_group_empty');
  await assertRefused(apply('prod', fewer, { prune: true, empty_groups: true, max_deletes: 0 }), 'state_deletes');
  await apply('prod', fewer, { prune: true, empty_groups: true });
  assert.equal(await channels(), []);
  const { rate_rules: _rules, options: _options, ...fewest } = fewer;
  await apply('prod', fewest, { prune: true });
  assert.is(await optionValue('RetryTimes'), '0', 'an option that is pruned is back at its default');
  assert.equal(await daemon.root.rateRules.list({}), []);
  await apply('prod', everything);
});

state('takes over what nobody owns and what others own by wish alone', async () => {
  await daemon.root.options.set({ key: 'TopUpLink', value: 'https://pay.example.com' });
  const site = { options: { TopUpLink: 'https://buy.example.com' } };
  assert.equal(await planned('site', site), [
    'adopt option TopUpLink value "https://pay.example.com" -> "https://buy.example.com"',
    '! state_adopt TopUpLink',
  ]);
  await assertRefused(apply('site', site), 'state_adopt');
  await apply('site', site, { adopt: true });
  const other = { options: { TopUpLink: 'https://third.example.com' } };
  await assertRefused(apply('other', other), 'state_owned');
  await apply('other', other, { take_over: true });
  assert.is(await optionValue('TopUpLink'), 'https://third.example.com');
  assert.equal((await daemon.root.state.set({ name: 'site' })).owned, []);
});

state('forgets a set without touching what it owned', async () => {
  assert.is(await daemon.root.state.forget({ name: 'other' }), 1);
  assert.is(await optionValue('TopUpLink'), 'https://third.example.com');
  await assertRefused(daemon.root.state.forget({ name: 'other' }), 'state_set_not_found');
});

state('refuses a plan that something has moved under, and one of two that are applied at once', async () => {
  const document = { ...everything, options: { ...everything.options, RetryTimes: 3 } };
  const { plan_id } = await plan('prod', document);
  await daemon.root.options.set({ key: 'RetryTimes', value: '4' });
  await assertRefused(apply('prod', document, { plan_id }), 'state_plan_stale', 409);
  const fresh = await plan('prod', document);
  const both = await Promise.allSettled([
    apply('prod', document, { plan_id: fresh.plan_id }),
    apply('prod', document, { plan_id: fresh.plan_id }),
  ]);
  assert.equal(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  await apply('prod', everything);
});

state('guards prices that rise or change their kind, and what only root may write', async () => {
  const dearer = { prices: { 'house-model': { input_usd_per_million: 1, output_usd_per_million: 3 } } };
  const guarded = { ...everything, ...dearer };
  assert.match((await planned('prod', guarded)).at(-1) ?? '', /^! state_price_rise house-model$/);
  await apply('prod', guarded, { max_price_rise: 400 });
  const byCall = { ...everything, prices: { 'house-model': { model_price: 0.04 } } };
  await assertRefused(apply('prod', byCall), 'state_price_kind');
  await apply('prod', byCall, { change_kind: true });
  await apply('prod', everything, { change_kind: true, max_price_rise: 1_000_000 });
  await daemon.root.users.create({ username: 'adam', password: 'an admin password', role: 10, display_name: 'Adam' });
  const adam = await signedIn(daemon.url, { username: 'adam', password: 'an admin password' });
  assert.is((await refusalOf(adam.state.plan({ document: document('prod', everything) }))).code, 'forbidden_role');
  assert.not.ok('alerts' in (await adam.state.export({})).document, "alerts are root's alone, also to look at");
  const { alerts: _alerts, ...unalerted } = everything;
  const pruning = { document: document('prod', unalerted), prune: true };
  await assertRefused(adam.state.apply(pruning), 'state_root_needed');
  const rooted = { document: document('prod', { ...unalerted, options: { PayAddress: 'https://pay.example.com' } }) };
  const seen = await adam.state.plan(rooted);
  assert.ok(seen.guards.some(({ code, key }) => code === 'state_root_needed' && key === 'PayAddress'));
  await assertRefused(adam.state.apply(rooted), 'state_root_needed');
});

state('changes nothing at all when one object is refused', async () => {
  const before = await daemon.root.state.export({});
  const wrong = {
    options: { RetryTimes: 9 },
    channels: { broken: { type: 'azure', keys: [{ value: 'k' }], models: ['m'], base_url: 'ftp://nowhere' } },
  };
  const refusal = await refusalOf(apply('half', wrong));
  assert.equal([refusal.code, refusal.field], ['channel_base_url_refused', 'channels.broken.base_url']);
  const setting = { header_override: { 'x a': 'b' } };
  const { base_url: _address, ...right } = { ...wrong.channels.broken, type: 'openai' };
  const misruled = await refusalOf(plan('half', { channels: { broken: { ...right, setting } } }));
  const place = 'channels.broken.setting.header_override.x a';
  assert.equal([misruled.code, misruled.field], ['channel_setting_invalid', place]);
  assert.equal(await daemon.root.state.export({}), before);
  assert.is((await refusalOf(plan('x', { options: { GroupRatio: { a: 1 } } }))).code, 'state_option_elsewhere');
  assert.is((await refusalOf(plan('x', { options: { Nonsense: 1 } }))).code, 'state_option_unknown');
  const untyped = await refusalOf(plan('x', { options: { RetryTimes: '2' } }));
  assert.equal([untyped.code, untyped.field], ['state_value_invalid', 'options.RetryTimes']);
  const negative = await refusalOf(plan('x', { options: { RetryTimes: -2 } }));
  assert.equal([negative.code, negative.field], ['option_invalid', 'options.RetryTimes']);
  assert.is((await refusalOf(plan('x', { options: { SMTPToken: 'plain' } }))).code, 'state_secret_inline');
});

state('exports what it was told, byte for byte, after everything was wiped and applied again', async () => {
  const before = await daemon.root.state.export({});
  assert.ok(before.secrets.includes('MAIN_KEY_2') && before.secrets.includes('SMTP_TOKEN'));
  const sent = { ...everything, prices: { 'house-model': { model_ratio: 0.1, completion_ratio: 3 } } };
  await apply('prod', {}, { prune: true, empty_groups: true, max_deletes: 100 });
  assert.equal(Object.keys((await daemon.root.state.export({ set: 'prod' })).document), ['apiVersion', 'set']);
  await apply('prod', sent, { max_price_rise: 1_000_000 });
  assert.is(json(await daemon.root.state.export({})), json(before));
});

state('keeps secrets out of plans, exports, the audit log and the log', async () => {
  const kept = { ...everything, options: { ...everything.options, SMTPToken: 'keep' } };
  assert.equal(await planned('prod', kept), []);
  const rotated = {
    main: { ...everything.channels?.main, keys: [{ value: 'sk-canary-two' }, { value: 'sk-canary-3' }] },
  };
  const told = await plan('prod', { ...everything, channels: rotated });
  assert.equal(
    told.changes.map(({ fields }) => fields.map(({ path, from, to }) => [path, from, to])),
    [[['keys', { removed: 1, kept: 1 }, { added: 1, kept: 1 }]]],
  );
  await apply('prod', { ...everything, channels: rotated });
  const audits = await daemon.root.audits.list({ page: 1, page_size: 500 });
  const everywhere = json([told, await daemon.root.state.export({}), audits, daemon.log]) ?? '';
  assert.not.match(everywhere, /canary/);
});

state('says which of two channels of one name is meant by its id alone', async () => {
  const first = await daemon.addChannel({ name: 'twin', base_url: '', models: 'm' });
  await daemon.addChannel({ name: 'twin', base_url: '', models: 'm' });
  const twin = (more: object) => ({ channels: { twin: { models: ['m', 'n'], ...more } } });
  assert.is((await refusalOf(plan('twins', twin({})))).code, 'state_channel_ambiguous');
  const chosen = await plan('twins', twin({ id: first }));
  assert.equal(
    chosen.changes.map(({ action, id }) => [action, id]),
    [['adopt', first]],
  );
  const { document: told } = await daemon.root.state.export({ kinds: 'channel' });
  const exported: unknown = Object.entries(Object(told.channels)).find(([key]) => key === `twin-${first}`)?.[1];
  assert.equal(Object(exported).id, first);
});

state('gives each secret a name of its own, though those of two channels come to the same', async () => {
  await daemon.addChannel({ name: 'same-name', base_url: '', models: 'm', tag: 'names' });
  await daemon.addChannel({ name: 'same.name', base_url: '', models: 'm', tag: 'names' });
  const { document: told, secrets } = await daemon.root.state.export({ kinds: 'channel', tag: 'names' });
  assert.equal(secrets, ['SAME_NAME_KEY_1', 'SAME_NAME_KEY_1_2']);
  assert.match(json(told) ?? '', /"same-name":.*"env:SAME_NAME_KEY_1".*"same\.name":.*"env:SAME_NAME_KEY_1_2"/);
});

state(
  'finds no difference in what was taken away of that which a new server has, and brings it back by wish',
  async () => {
    const { 'gpt-4o': ratio, ...others }: Record<string, number> = JSON.parse(
      (await optionValue('ModelRatio')) ?? '{}',
    );
    await daemon.root.options.set({ key: 'ModelRatio', value: JSON.stringify(others) });
    const away = { prices: { 'gpt-4o': { model_ratio: null } } };
    assert.equal(await planned('away', away), []);
    const back = { prices: { 'gpt-4o': { model_ratio: ratio ?? 0 } } };
    assert.equal(await planned('away', back), [
      `adopt price gpt-4o model_ratio null -> ${ratio}`,
      '! state_adopt gpt-4o',
    ]);
    await apply('away', back, { adopt: true });
    assert.is(JSON.parse((await optionValue('ModelRatio')) ?? '{}')['gpt-4o'], ratio);
  },
);

state('makes more channels in one go than one statement carries', async () => {
  const many = Array.from({ length: 450 }, (_, at) => [
    `many-${at}`,
    { type: 'openai', keys: [{ value: `sk-${at}` }], models: ['m'], groups: ['default'] },
  ]);
  const sections = { channels: Object.fromEntries(many) };
  assert.is((await apply('many', sections)).summary.create, 450);
  assert.equal(await planned('many', sections), []);
});

state.run();
