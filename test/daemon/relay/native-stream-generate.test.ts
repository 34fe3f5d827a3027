import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { generateProfile } from '../../../daemon/relay/native-profile-generate.ts';
import { put, run } from '../../support/native-chat-streams.ts';

const generate = suite('NativeStream of Gemini');

generate('counts the images of an answer that reports no usage, large ones unread', () => {
  const image = (data: string) =>
    put({ candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data } }] } }] });
  const end = put({ candidates: [{ finishReason: 'STOP' }] });
  const tokens = (model: string) =>
    run([image('AAAA'), image('A'.repeat(2_000_000)), end], { profile: generateProfile, model }).stream.counted()
      .completion;
  assert.is(tokens('gemini-2.5-flash-image'), 2 * 1290);
  assert.is(tokens('somebody-else'), 0);
});

generate('tells the name that was asked for where the model is named behind a picture', () => {
  const picture = { content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'A'.repeat(2_000_000) } }] } };
  const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 1290, totalTokenCount: 1293 };
  const piece = (modelVersion: string) => put({ candidates: [picture], usageMetadata, modelVersion });
  const options = { profile: generateProfile, model: 'painter', renameModel: true };
  const { stream, out } = run([piece('hidden-model')], options);
  assert.ok(out === piece('painter'), out.slice(-200));
  assert.is(stream.usage()?.completion, 1290);
});

generate.run();
