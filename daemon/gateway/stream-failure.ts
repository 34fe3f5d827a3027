/** The end of a stream that only ever carried comments: its status is sent, and nobody answered (relay.md 4.6). */

import { openaiStreamError } from '../relay/error-body.ts';
import type { FormatId } from '../relay/format.ts';
import { chatFormatOf } from '../relay/formats/index.ts';
import { encodeSse } from '../relay/framing/sse.ts';
import { streamProfileOf } from '../relay/native-profiles.ts';
import { NativeStream } from '../relay/native-stream.ts';
import { codecScope } from './codec-scope.ts';
import type { ShownError } from './failure-answer.ts';
import { ownRefusal } from './own-refusal.ts';

/** Bytes that end such a stream as the client's protocol demands. */
export function streamFailure(
  format: FormatId,
  failed: { error: ShownError; model: string; requestId: string },
): Buffer {
  const { error, model, requestId } = failed;
  const profile = streamProfileOf(format);
  if (profile !== undefined) {
    const options = { profile, hideUsage: true, model, renameModel: true, promptTokens: () => 0, requestId };
    return new NativeStream(options).fail(error);
  }
  const codec = chatFormatOf(format);
  if (codec === undefined) return openaiStreamError(error);
  const request = { dialect: 'openai-chat', model, items: [], stream: true, streamUsage: false, tools: [] } as const;
  const encoder = codec.encodeStream({ ...request, sampling: {}, extensions: {} }, codecScope({ model }));
  return Buffer.concat(encoder.fail(ownRefusal(error)).map(encodeSse));
}
