import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatEvent, keepAliveText, readEvents, type StreamedEvent } from '../../../daemon/contract/event-stream.ts';

const stream = suite('stream of events');

async function readAll(pieces: readonly Uint8Array[]): Promise<StreamedEvent[]> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const events: StreamedEvent[] = [];
  for await (const event of readEvents(body)) events.push(event);
  return events;
}

stream('is read as it was written, wherever its bytes are cut', async () => {
  const events: StreamedEvent[] = [
    { event: 'log', id: '12', data: { content: '第一行\n第二行 🎉', nothing: null } },
    { event: 'ready', id: undefined, data: {} },
  ];
  const bytes = new TextEncoder().encode(events.map(formatEvent).join(keepAliveText));
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    assert.equal(await readAll([bytes.subarray(0, cut), bytes.subarray(cut)]), events, `cut at ${cut}`);
  }
});

stream('is read in every form that the standard allows', async () => {
  const text =
    ': hello\r\n\r\nid:1\r\nevent:log\r\ndata: {"a":\r\ndata: 1}\r\nretry: 5\r\n\r\ndata: no json\n\ndata: 2\n\nhalf';
  assert.equal(await readAll([new TextEncoder().encode(text)]), [
    { event: 'log', id: '1', data: { a: 1 } },
    { event: 'message', id: undefined, data: 2 },
  ]);
});

stream('hangs up when nobody reads on', async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode(formatEvent({ event: 'log', data: 1 })));
    },
    cancel() {
      isCancelled = true;
    },
  });
  for await (const _event of readEvents(body)) break;
  assert.ok(isCancelled);
});

stream.run();
