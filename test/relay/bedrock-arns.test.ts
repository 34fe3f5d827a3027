/**
 * Models on Amazon Bedrock that resources of the operator's own account serve, through a whole daemon.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError } from '../../daemon/contract/client.ts';
import { bedrockSignature } from '../support/bedrock-signature.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { postJson, type RelayWorld, tidyBetween } from '../support/relay-world.ts';

const test = suite<RelayWorld>('relay: ARNs on Bedrock');

const credentials = 'AKIAIOSFODNN7EXAMPLE|secret-of-the-key|eu-west-1';
const account = '123456789012';
const arns = {
  claude: `arn:aws:bedrock:us-west-2:${account}:application-inference-profile/a1b2c3d4e5f6`,
  nova: `arn:aws:bedrock:eu-west-1:${account}:provisioned-model/n1o2v3a4`,
  titan: `arn:aws:bedrock:eu-west-1:${account}:provisioned-model/t1i2t3a4`,
};
const setting = JSON.stringify({
  bedrock_profile: 'global',
  bedrock_arns: { 'claude-sonnet-4-5': arns.claude, 'team-nova': arns.nova, 'titan-embed-text-v2': arns.titan },
});
const models = ['claude-sonnet-4-5', 'team-nova', 'titan-embed-text-v2', 'claude-haiku-4-5'];

test.before(async (world) => {
  world.upstream = await startFakeUpstream();
  const ModelRatio = JSON.stringify(Object.fromEntries(models.map((model) => [model, 1])));
  world.daemon = await startTestDaemon({
    options: { ModelRatio, AutomaticDisableChannelEnabled: 'false', RetryTimes: '0' },
  });
  await world.daemon.addChannel({
    type: 33,
    key: credentials,
    base_url: world.upstream.url,
    models: models.join(','),
    model_mapping: '{"team-nova":"nova-pro"}',
    setting,
  });
  world.key = await world.daemon.addKey();
});
tidyBetween(test);

/** Holds the first request of a test against the signature for a region. */
async function isSignedFor({ upstream }: RelayWorld, region: string): Promise<void> {
  const [request] = upstream.requests;
  assert.ok(request);
  assert.is(request.headers.authorization, await bedrockSignature(upstream, request, { credentials, region }));
}

const messages = [{ role: 'user', content: 'hi' }];
const said = (text: string) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5-20250929',
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 3, output_tokens: 2 },
});
const conversed = {
  output: { message: { role: 'assistant', content: [{ text: 'pong' }] } },
  stopReason: 'end_turn',
  usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
};

test('Claude under an ARN is asked in its own dialect, in the ARN’s region, whatever profile is forced', async (world) => {
  world.upstream.script(jsonAnswer(said('pong')));
  const { status, text } = await postJson(world, '/v1/chat/completions', { model: 'claude-sonnet-4-5', messages });
  assert.is(status, 200, text);
  assert.match(text, 'pong');
  assert.not.match(text, account);
  const [sent] = world.upstream.requests;
  assert.is(sent?.url, `/model/${encodeURIComponent(arns.claude)}/invoke`);
  assert.is(JSON.parse(sent?.body.toString() ?? '').anthropic_version, 'bedrock-2023-05-31');
  await isSignedFor(world, 'us-west-2');
});

test('a name of the operator’s own has an ARN, and the form of the model it stands for', async (world) => {
  world.upstream.script(jsonAnswer(conversed));
  const { status, text } = await postJson(world, '/v1/chat/completions', { model: 'team-nova', messages });
  assert.is(status, 200, text);
  const [sent] = world.upstream.requests;
  assert.is(sent?.url, `/model/${encodeURIComponent(arns.nova)}/converse`);
  await isSignedFor(world, 'eu-west-1');
});

test('embeddings and streams go by it too, other models by their ids', async (world) => {
  world.upstream.script(jsonAnswer({ embedding: [1, 2], inputTextTokenCount: 1 }));
  const embedded = await postJson(world, '/v1/embeddings', { model: 'titan-embed-text-v2', input: 'a' });
  assert.is(embedded.status, 200, embedded.text);
  world.upstream.script(jsonAnswer({ message: 'busy' }, 429, { 'x-amzn-errortype': 'ThrottlingException' }));
  await postJson(world, '/v1/messages', { model: 'claude-sonnet-4-5', max_tokens: 9, messages, stream: true });
  world.upstream.script(jsonAnswer(said('pong')));
  const other = await postJson(world, '/v1/messages', { model: 'claude-haiku-4-5', max_tokens: 9, messages });
  assert.is(other.status, 200, other.text);
  assert.equal(
    world.upstream.requests.map(({ url }) => decodeURIComponent(url)),
    [
      `/model/${arns.titan}/invoke`,
      `/model/${arns.claude}/invoke-with-response-stream`,
      '/model/global.anthropic.claude-haiku-4-5-20251001-v1:0/invoke',
    ],
  );
});

test('a refusal is not tried under a profile, and names no account', async (world) => {
  const message = `Invocation of model ID ${arns.claude} with on-demand throughput isn't supported`;
  world.upstream.script(jsonAnswer({ message }, 400, { 'x-amzn-errortype': 'ValidationException' }));
  const { status, text } = await postJson(world, '/v1/messages', {
    model: 'claude-sonnet-4-5',
    max_tokens: 9,
    messages,
  });
  assert.equal([status, world.upstream.requests.length], [404, 1], text);
  assert.not.match(text, account);
});

test('what is no ARN is refused when it is written, by the member’s name', async ({ daemon, upstream }) => {
  const wrong = { bedrock_arns: { 'claude-sonnet-4-5': 'eu.anthropic.claude-sonnet-4-5' } };
  const refused = await daemon
    .addChannel({ type: 33, key: credentials, base_url: upstream.url, models: 'm', setting: JSON.stringify(wrong) })
    .catch((error: unknown) => error);
  assert.instance(refused, ApiError);
  assert.equal(refused instanceof ApiError && [refused.code, refused.field], [
    'channel_setting_invalid',
    'setting.bedrock_arns',
  ]);
});

test.run();
