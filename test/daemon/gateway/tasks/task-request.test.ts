/** How a channel's own rules reach the calls of tasks (REQ-12, REQ-15). Runs once: nothing is stored. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../../../daemon/errors.ts';
import { askUpstream, type TaskRequest, taskCall } from '../../../../daemon/gateway/tasks/task-request.ts';
import type { JsonObject } from '../../../../daemon/relay/json.ts';
import { midjourneyPlus } from '../../../../daemon/relay/providers/midjourney-proxy/index.ts';
import { suno } from '../../../../daemon/relay/providers/suno/index.ts';
import { ChannelIndexImage } from '../../../../daemon/snapshots/channel-index.ts';
import { Credentials } from '../../../../daemon/upstream/auth/index.ts';
import { type OutgoingRequest, type ReplyReceiver, Transport } from '../../../../daemon/upstream/transport.ts';
import { channelView } from '../../../support/channel-records.ts';
import { optionsView } from '../../../support/options-view.ts';

const test = suite('gateway/tasks/task-request');

/** Answers everything with `{}` and keeps what it was asked. */
class WillingTransport extends Transport {
  readonly sent: OutgoingRequest[] = [];

  constructor() {
    super({ guard: { allow: [], channelAllowPrivate: false } });
  }

  override send(request: OutgoingRequest, receiver: ReplyReceiver) {
    this.sent.push(request);
    receiver.onHead(200, {});
    receiver.onData(Buffer.from('{}'));
    receiver.onEnd();
    return { abort: () => {}, pause: () => {}, resume: () => {}, tokenSeen: () => {} };
  }
}

interface Asked {
  readonly provider?: typeof suno;
  readonly setting?: JsonObject;
  readonly override?: JsonObject | string;
  readonly client?: Record<string, string>;
  readonly request?: Partial<TaskRequest>;
  readonly passThrough?: boolean;
}

const order: TaskRequest = { method: 'POST', operation: 'submit/x', body: { prompt: 'a cat' }, timeoutMs: 60_000 };

async function ask({ provider = suno, setting = {}, override = {}, client = {}, request = {}, passThrough }: Asked) {
  const transport = new WillingTransport();
  const paramOverride = typeof override === 'string' ? override : JSON.stringify(override);
  const record = { type: provider.channelType, baseUrl: 'https://up.example' };
  const channel = channelView({ ...record, setting: JSON.stringify(setting), paramOverride }, ['sk-secret']);
  const [key] = channel.keys;
  assert.ok(key);
  const options = optionsView({ 'global.pass_through_request_enabled': passThrough === true });
  const view = { revision: 1, options, channels: ChannelIndexImage.empty(), setupDone: true };
  const format = provider === suno ? 'suno' : 'midjourney';
  const reply = await askUpstream(
    {
      transport,
      credentials: new Credentials(new Map()),
      timeouts: { connectMs: 10_000, headersMs: 0, firstTokenMs: 0, idleMs: 300_000, answerMaxMs: 0 },
      version: '1.2.3',
      maxBodyBytes: 1000,
    },
    {
      adapter: provider,
      channel,
      key,
      call: taskCall(provider, channel, { format, model: '' }),
      asker: { view, client, facts: { model: 'suno_music', channel_id: 1 } },
    },
    { ...order, ...request },
  );
  await transport.destroy();
  return { reply, sent: transport.sent[0] };
}

function headersOf(sent: OutgoingRequest | undefined): Record<string, string> {
  const { headers = [] } = sent ?? {};
  return Object.fromEntries(headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? '']] : [])));
}

function bodyOf(sent: OutgoingRequest | undefined): JsonObject {
  return Buffer.isBuffer(sent?.body) ? JSON.parse(sent.body.toString()) : {};
}

const SILENT = { firstTokenMs: 0 };

test("waits as long as the platform's upstreams may take, where the channel says nothing", async () => {
  const { sent } = await ask({});
  assert.is(sent?.destination.connectMs, 10_000);
  assert.equal(sent?.timeouts, { ...SILENT, headersMs: 60_000, idleMs: 60_000, totalMs: 60_000 });
});

test('waits as long as the channel says, and no longer than other work can where that waits for it', async () => {
  const setting = { timeout_connect: 2, timeout_first_byte: 300, timeout_idle: 5, timeout_first_token: 9 };
  const { sent } = await ask({ setting });
  assert.is(sent?.destination.connectMs, 2000);
  assert.equal(sent?.timeouts, { ...SILENT, headersMs: 300_000, idleMs: 5000, totalMs: 0 });
  const poll = await ask({ setting, request: { timeoutMs: 15_000, timeoutHolds: 'always' } });
  assert.equal(poll.sent?.timeouts, { ...SILENT, headersMs: 300_000, idleMs: 5000, totalMs: 15_000 });
  const quick = await ask({ setting: { timeout_connect: 2 } });
  assert.is(quick.sent?.timeouts.totalMs, 60_000, 'connecting is no waiting for an answer');
});

const client = {
  authorization: 'Bearer sk-tollgate',
  cookie: 'session=1',
  'mj-api-secret': 'sk-tollgate',
  traceparent: '00-a',
  'x-tenant': 'blue',
  'user-agent': 'curl',
};
const base = { accept: 'application/json', 'accept-encoding': 'gzip, br', 'content-type': 'application/json' };

test('sends of the client what every call passes on, to drawing servers what the channel wishes alone', async () => {
  const asked = { client, setting: { pass_headers: ['X-Tenant', 'Cookie'], user_agent: 'Studio/7' } };
  const plain = await ask({ client });
  const song = { ...base, authorization: 'Bearer sk-secret', traceparent: '00-a' };
  assert.equal(headersOf(plain.sent), { ...song, 'user-agent': 'Tollgate/1.2.3' });
  const wished = await ask(asked);
  assert.equal(headersOf(wished.sent), { ...song, 'x-tenant': 'blue', 'user-agent': 'Studio/7' });
  const drawing = { ...base, 'mj-api-secret': 'sk-secret' };
  const bare = await ask({ client, provider: midjourneyPlus });
  assert.equal(headersOf(bare.sent), { ...drawing, 'user-agent': 'Tollgate/1.2.3' });
  const drawn = await ask({ ...asked, provider: midjourneyPlus });
  assert.equal(headersOf(drawn.sent), { ...drawing, 'x-tenant': 'blue', 'user-agent': 'Studio/7' });
  const question = await ask({ ...asked, provider: midjourneyPlus, request: { method: 'GET', body: undefined } });
  const { 'content-type': _, ...withoutBody } = drawing;
  assert.equal(headersOf(question.sent), { ...withoutBody, 'x-tenant': 'blue', 'user-agent': 'Studio/7' });
  assert.is(question.sent?.body, undefined);
});

test('lets the rules of the channel have the last word on headers and bodies', async () => {
  const override = {
    operations: [
      {
        mode: 'set',
        path: 'mv',
        value: 'chirp-v5',
        conditions: [{ path: 'model', mode: 'full', value: 'suno_music' }],
      },
      { mode: 'delete', path: 'prompt', conditions: [{ path: 'model', mode: 'full', value: 'suno_lyrics' }] },
      { mode: 'set_header', path: 'x-plan', value: 'pro' },
    ],
  };
  const setting = { header_override: { 'X-Account': '{api_key}/{client_header:x-tenant}', traceparent: null } };
  const { sent } = await ask({ override, setting, client });
  assert.equal(bodyOf(sent), { prompt: 'a cat', mv: 'chirp-v5' });
  const { 'x-plan': plan, 'x-account': account, traceparent } = headersOf(sent);
  assert.equal([plan, account, traceparent], ['pro', 'sk-secret/blue', undefined]);
  const flat = await ask({ override: { tags: 'pop' } });
  assert.equal(bodyOf(flat.sent), { prompt: 'a cat', tags: 'pop' });
  for (const through of [{ passThrough: true }, { setting: { pass_through_body_enabled: true } }]) {
    assert.equal(bodyOf((await ask({ override: { tags: 'pop' }, ...through })).sent), { prompt: 'a cat' });
  }
});

test('sends nothing where the rules refuse or cannot be read', async () => {
  const told = { message: 'closed', status_code: 451, code: 'closed', type: 'house' };
  const { reply, sent } = await ask({ override: { operations: [{ mode: 'return_error', value: told }] } });
  const refusal = { status: 451, code: 'closed', type: 'house', message: 'closed' };
  assert.equal([reply, sent], [{ refusal }, undefined]);
  const broken: readonly [Asked, string][] = [
    [{ override: '[]' }, 'channel:param_override_invalid'],
    [{ override: { operations: [{ mode: 'no such' }] } }, 'channel:param_override_invalid'],
    [{ override: { tags: 'x'.repeat(1000) } }, 'channel:param_override_invalid'],
    [{ setting: { header_override: { host: 'x' } } }, 'channel:header_override_invalid'],
  ];
  for (const [asked, code] of broken) {
    const error = await ask(asked).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof TollgateError, code);
    assert.is(error.code, code);
  }
});

test.run();
