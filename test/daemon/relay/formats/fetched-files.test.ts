/** Files at an address, told to vendors that fetch them themselves where the channel says so (`upstream_fetches_url`). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FormatId } from '../../../../daemon/relay/format.ts';
import { asObject, asObjects, asText } from '../../../../daemon/relay/formats/fields.ts';
import { chatFormatOf, upstreamFormatOf } from '../../../../daemon/relay/formats/index.ts';
import type { JsonObject } from '../../../../daemon/relay/json.ts';
import { testScope } from '../../../conformance/scope.ts';
import { adapterOf } from '../../../support/adapter-calls.ts';

const test = suite('files that an upstream fetches');

const at = 'https://files.example.com';
const media: readonly JsonObject[] = [
  { fileData: { mimeType: 'application/pdf', fileUri: `${at}/a.pdf` } },
  { fileData: { mimeType: 'image/png', fileUri: `${at}/a.png` } },
  { fileData: { mimeType: 'audio/mpeg', fileUri: `${at}/a.mp3` } },
];

function told(id: FormatId, provider: string): JsonObject {
  const contents = [{ role: 'user', parts: [{ text: 'look' }, ...media] }];
  const request = chatFormatOf('gemini-generate')?.decodeRequest({ contents });
  assert.ok(request);
  const scope = { ...testScope(), traits: adapterOf(provider).traits ?? {} };
  return asObject(upstreamFormatOf(id)?.encodeRequest(request, scope)) ?? {};
}

test('are named to Dify by their address and kind', () => {
  assert.equal(told('dify-chat', 'dify').files, [
    { type: 'document', transfer_method: 'remote_url', url: `${at}/a.pdf` },
    { type: 'image', transfer_method: 'remote_url', url: `${at}/a.png` },
    { type: 'audio', transfer_method: 'remote_url', url: `${at}/a.mp3` },
  ]);
});

test('are named to Coze by their address and kind', () => {
  const [message] = asObjects(told('coze-chat', 'coze').additional_messages);
  assert.equal(JSON.parse(asText(message?.content) ?? ''), [
    { type: 'text', text: 'look' },
    { type: 'file', file_url: `${at}/a.pdf` },
    { type: 'image', file_url: `${at}/a.png` },
    { type: 'audio', file_url: `${at}/a.mp3` },
  ]);
});

test('are refused by name where the dialect has no word for an address', () => {
  assert.throws(() => told('openai-chat', 'openai'), /file: must be given inline|convert_request_failed/);
});

test.run();
