/** Runs once: a preview reads and writes no row. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError } from '../../../../../daemon/contract/client.ts';
import { startTestDaemon, type TestDaemon } from '../../../../support/daemon.ts';

const preview = suite<{ daemon: TestDaemon }>('http/routes/management (previews of parameter overrides)');

preview.before(async (context) => {
  context.daemon = await startTestDaemon();
});
preview.after(({ daemon }) => daemon.stop());

const body = JSON.stringify({ model: 'gpt-4o', temperature: 1, stop: ['a'] });
const operations = (...list: unknown[]) => JSON.stringify({ operations: list });

async function refusalOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'accepted',
    (error: unknown) => (error instanceof ApiError ? [error.code, error.field] : String(error)),
  );
}

preview('shows the body after a flat override, and an empty one changes nothing', async ({ daemon }) => {
  const { channels } = daemon.root;
  const flat = await channels.previewOverride({ param_override: '{"temperature":0,"user":"x"}', body });
  assert.equal(flat, {
    body: { model: 'gpt-4o', temperature: 0, stop: ['a'], user: 'x' },
    headers: [],
    refusal: null,
  });
  assert.equal((await channels.previewOverride({ param_override: '', body })).body, JSON.parse(body));
});

preview('runs operations in order, and lists the headers that they set and take away', async ({ daemon }) => {
  const answer = await daemon.root.channels.previewOverride({
    param_override: operations(
      { mode: 'move', from: 'temperature', to: 'heat' },
      { mode: 'append', path: 'stop', value: 'b' },
      { mode: 'set_header', path: 'X-Team', value: 'a {api_key}' },
      { mode: 'delete_header', path: 'X-Old' },
    ),
    body,
  });
  assert.equal(answer.body, { model: 'gpt-4o', stop: ['a', 'b'], heat: 1 });
  assert.equal(answer.headers, [
    { name: 'X-Team', value: 'a {api_key}' },
    { name: 'X-Old', value: null },
  ]);
});

preview('lets conditions read the facts that are given, and shows the refusal of the operator', async ({ daemon }) => {
  const { channels } = daemon.root;
  const param_override = operations({
    mode: 'return_error',
    value: { message: 'not for vip', status_code: 403, code: 'no_vip', type: 'policy' },
    conditions: [{ path: 'user_group', value: 'vip' }],
  });
  const refused = await channels.previewOverride({ param_override, body, facts: { user_group: 'vip' } });
  const refusal = { status: 403, code: 'no_vip', type: 'policy', message: 'not for vip' };
  assert.equal(refused, { body: null, headers: [], refusal });
  assert.is((await channels.previewOverride({ param_override, body, facts: { user_group: 'x' } })).refusal, null);
  assert.is((await channels.previewOverride({ param_override, body, facts: { user_group: null } })).refusal, null);
});

preview('names the member that is wrong, as a save of the channel would', async ({ daemon }) => {
  const refused = (param_override: string, sample = body) =>
    refusalOf(daemon.root.channels.previewOverride({ param_override, body: sample }));
  assert.equal(await refused('{'), ['channel_json_invalid', 'param_override']);
  assert.equal(await refused('{}', '[]'), ['channel_json_invalid', 'body']);
  assert.equal(await refused(operations({ mode: 'dance' })), [
    'channel_rule_invalid',
    'param_override.operations.0.mode',
  ]);
  assert.equal(
    await refused(operations({ mode: 'delete', path: 'a' }, { mode: 'regex_replace', path: 'a', from: '(' })),
    ['channel_rule_invalid', 'param_override.operations.1.from'],
  );
  const nobody = { mode: 'delete', path: 'a', conditions: [{ path: 'b', mode: 'gt', value: 'x' }] };
  assert.equal(await refused(operations(nobody)), [
    'channel_rule_invalid',
    'param_override.operations.0.conditions.0.value',
  ]);
  assert.equal(await refused(operations({ mode: 'set_header', path: 'Host', value: 'x' })), [
    'channel_rule_invalid',
    'param_override.operations.0.path',
  ]);
});

preview('ends an override that makes much of little, while it runs and after it', async ({ daemon }) => {
  const { channels } = daemon.root;
  const tooMuch = ['channel_rule_invalid', 'param_override'];
  const copies = Array.from({ length: 30 }, (_, index) => ({ mode: 'copy', from: 'a', to: `a.x${index}` }));
  const doubling = operations({ mode: 'set', path: 'a', value: { k: 1 } }, ...copies);
  assert.equal(await refusalOf(channels.previewOverride({ param_override: doubling, body })), tooMuch);
  const long = operations(...Array.from({ length: 9 }, (_, index) => ({ mode: 'copy', from: 'p', to: `p${index}` })));
  const sample = JSON.stringify({ p: 'x'.repeat(500_000) });
  assert.equal(await refusalOf(channels.previewOverride({ param_override: long, body: sample })), tooMuch);
});

preview.run();
