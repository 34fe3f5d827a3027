import { crc32 } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AwsEventStreamParser, type AwsMessage } from '../../../../daemon/relay/framing/aws-event-stream.ts';
import { reframerOf } from '../../../../daemon/relay/framing/reframe.ts';
import { assertQuick } from '../../../support/processor-time.ts';
import { isRefusal } from '../../../support/refusal-code.ts';

const test = suite('AWS event streams');

/** Frames of the vendor sheet. */
const chunkFrame = Buffer.from(
  '000000d70000004bbff9e4380b3a6576656e742d747970650700056368756e6b0d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d747970650700056576656e747b226279746573223a2265794a306558426c496a6f695932397564475675644639696247396a6131396b5a57783059534973496d6c755a475634496a6f774c434a6b5a5778305953493665794a306558426c496a6f69644756346446396b5a57783059534973496e526c654851694f694a4961534a3966513d3d227d4b8e9495',
  'hex',
);
const exceptionFrame = Buffer.from(
  '00000090000000618e91a9b70f3a657863657074696f6e2d747970650700137468726f74746c696e67457863657074696f6e0d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d74797065070009657863657074696f6e7b226d657373616765223a22546f6f206d616e79207265717565737473227de67f8005',
  'hex',
);
const emptyFrame = Buffer.from('000000100000000005c248eb7d98c8ff', 'hex');

function read(bytes: Buffer, size: number): AwsMessage[] {
  const parser = new AwsEventStreamParser();
  const messages: AwsMessage[] = [];
  for (let at = 0; at < bytes.length; at += size) messages.push(...parser.push(bytes.subarray(at, at + size)));
  return messages;
}

test('frames are read however they are cut', () => {
  const all = Buffer.concat([chunkFrame, emptyFrame, exceptionFrame]);
  for (let size = 1; size <= all.length; size += 1) {
    const [chunk, empty, exception, ...more] = read(all, size);
    assert.is(chunk?.headers.get(':event-type'), 'chunk');
    assert.is(chunk?.payload.length, 124);
    assert.is(empty?.headers.size, 0);
    assert.is(exception?.headers.get(':exception-type'), 'throttlingException');
    assert.is(more.length, 0);
  }
});

test('a long frame that comes in many pieces is read in a time that grows with it', async () => {
  const frame = Buffer.alloc(16 * 1024 * 1024, 1);
  frame.writeUInt32BE(frame.length, 0);
  frame.writeUInt32BE(0, 4);
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
  frame.writeUInt32BE(crc32(frame.subarray(0, -4)), frame.length - 4);
  await assertQuick(3000, () => {
    const messages = read(Buffer.concat([chunkFrame, frame, emptyFrame]), 4096);
    assert.equal(
      messages.map(({ payload }) => payload.length),
      [124, frame.length - 16, 0],
    );
  });
});

test('a flipped byte is found by its checksum', () => {
  for (const at of [3, 9, 40, 120, chunkFrame.length - 1]) {
    const bytes = Buffer.from(chunkFrame);
    bytes.writeUInt8((bytes[at] ?? 0) ^ 1, at);
    assert.throws(() => new AwsEventStreamParser().push(bytes), isRefusal('bad_response_body'));
  }
});

test('chunks become events of the model, and exceptions errors', () => {
  const reframe = reframerOf('application/vnd.amazon.eventstream');
  assert.is(
    reframe?.(chunkFrame)?.toString(),
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}\n\n',
  );
  assert.is(reframe?.(emptyFrame), undefined);
  assert.match(
    reframe?.(exceptionFrame)?.toString() ?? '',
    '"type":"throttlingException","message":"Too many requests"',
  );
  assert.is(reframerOf('text/event-stream'), undefined);
});

test.run();
