import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callJson, SideCallFailed } from '../../../daemon/gateway/side-call.ts';
import { Transport } from '../../../daemon/upstream/transport.ts';
import { jsonAnswer, startFakeUpstream } from '../../support/fake-upstream.ts';

const test = suite('side calls');

test('a refusal says what the upstream said of it, without keys', async () => {
  const upstream = await startFakeUpstream();
  const transport = new Transport({ guard: { allow: [], channelAllowPrivate: true } });
  const call = {
    method: 'GET' as const,
    headers: [],
    body: undefined,
    proxy: undefined,
    timeoutMs: 5000,
    maxBytes: 1000,
  };
  const told = async (body: unknown) => {
    upstream.script(jsonAnswer(body, 400));
    const failed = await callJson(transport, { ...call, url: upstream.url }).catch((error: unknown) => error);
    return failed instanceof SideCallFailed ? failed.message : failed;
  };
  try {
    const oauth = { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' };
    assert.is(await told(oauth), 'status 400: Invalid JWT Signature.');
    assert.is(await told({ error: { message: 'no such key: sk-abcdef123456' } }), 'status 400: no such key: ***');
    assert.is(await told({}), 'status 400');
  } finally {
    await transport.close();
    await upstream.close();
  }
});

test.run();
