/**
 * Files inside a chat request, for vendors that take them only under an id of their own: Dify and Coze.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { recordedCases } from '../conformance/cases.ts';
import {
  type Answer,
  type FakeUpstream,
  jsonAnswer,
  type RecordedRequest,
  startFakeUpstream,
} from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { recorded } from '../support/vendor-world.ts';
import { picture } from './image-vendors.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: uploads');

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream();
  const ones = { app: 1, 'bot-73': 1 };
  context.harness = await GatewayHarness.start({
    channels: [],
    options: { ModelRatio: ones, CompletionRatio: ones, RetryTimes: 1 },
  });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

const inline = (mediaType: string, bytes: Buffer) => `data:${mediaType};base64,${bytes.toString('base64')}`;
const image = inline('image/png', picture);
const document = inline('application/pdf', Buffer.from('%PDF-1.7 x'));

function question(text: string, ...urls: string[]) {
  const images = urls.map((url) => ({ type: 'image_url', image_url: { url } }));
  return [{ role: 'user', content: [{ type: 'text', text }, ...images] }];
}

function answerOf(folder: string): Answer {
  const one = recordedCases().find(({ name, status }) => name.startsWith(`${folder}/`) && status === 200);
  assert.ok(one);
  return recorded(one);
}

async function formOf({ headers, body }: RecordedRequest): Promise<FormData> {
  const type = String(headers['content-type']);
  return new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
}

async function fileIn(request: RecordedRequest | undefined): Promise<File> {
  assert.ok(request);
  const file = (await formOf(request)).get('file');
  assert.ok(file instanceof File);
  return file;
}

function serve({ harness, upstream }: Context, type: number, models: string, key: string): void {
  const channel = { id: 1, type, baseUrl: upstream.url, models, keys: [key] };
  harness.setChannels([channel, { ...channel, id: 2, priority: -1 }]);
}

test('Dify is handed each file once, in the name of the user who asks, and then asked', async (context) => {
  const { harness, upstream } = context;
  serve(context, 37, 'app', 'app-key');
  let ids = 0;
  upstream.script(({ url }) => {
    if (url !== '/v1/files/upload') return answerOf('dify');
    ids += 1;
    return jsonAnswer({ id: `file-${ids}`, name: 'file.png', size: 16, extension: 'png', mime_type: 'image/png' }, 201);
  });
  const content = [
    { type: 'text', text: 'what is this?' },
    { type: 'image_url', image_url: { url: image } },
    { type: 'file', file: { filename: 'paper.pdf', file_data: document } },
    { type: 'image_url', image_url: { url: image } },
    { type: 'image_url', image_url: { url: 'https://pictures.example/a.png' } },
  ];
  for (const stream of [true, false]) {
    upstream.requests.length = 0;
    ids = 0;
    const asked = { model: 'app', user: 'end-user', stream, messages: [{ role: 'user', content }] };
    const response = await harness.post('/v1/chat/completions', asked);
    assert.is(response.status, 200, await response.clone().text());
    assert.match(await response.text(), stream ? /data: \[DONE\]/ : /"finish_reason":"stop"/);
    const [first, second, third, ...more] = upstream.requests;
    assert.is(more.length, 0);
    for (const request of [first, second]) {
      assert.ok(request);
      assert.equal(
        [request.method, request.url, request.headers.authorization],
        ['POST', '/v1/files/upload', 'Bearer app-key'],
      );
      assert.is((await formOf(request)).get('user'), 'end-user');
    }
    const picked = await fileIn(first);
    assert.equal([picked.name, picked.type], ['file.png', 'image/png']);
    assert.equal(Buffer.from(await picked.arrayBuffer()), picture);
    assert.equal([(await fileIn(second)).name, (await fileIn(second)).type], ['file.pdf', 'application/pdf']);
    assert.is(third?.url, '/v1/chat-messages');
    assert.is(third?.headers['content-type'], 'application/json');
    const sent = JSON.parse(third?.body.toString() ?? '');
    assert.equal([sent.user, sent.query], ['end-user', 'what is this?']);
    assert.equal(sent.files, [
      { type: 'image', transfer_method: 'local_file', upload_file_id: 'file-1' },
      { type: 'document', transfer_method: 'local_file', upload_file_id: 'file-2' },
      { type: 'image', transfer_method: 'local_file', upload_file_id: 'file-1' },
      { type: 'image', transfer_method: 'remote_url', url: 'https://pictures.example/a.png' },
    ]);
  }
  const rows = await harness.rows();
  assert.is(rows.length, 2);
  assert.ok((rows[0]?.quota ?? 0) > 0);
  assert.is(rows[0]?.quota, rows[1]?.quota);
});

test('a file that Dify refuses is the client’s to mend, and a wrong key leads to the next channel', async (context) => {
  const { harness, upstream } = context;
  serve(context, 37, 'app', 'app-key');
  upstream.script(jsonAnswer({ code: 'file_too_large', message: 'File size exceeded.', status: 413 }, 413));
  const asked = { model: 'app', messages: question('what?', image) };
  const refused = await harness.post('/v1/chat/completions', asked);
  assert.is(refused.status, 413);
  assert.is(upstream.requests.length, 1);
  upstream.script(({ url }, index) => {
    if (index === 1) return jsonAnswer({ code: 'unauthorized', message: 'Access token is invalid', status: 401 }, 401);
    return url === '/v1/files/upload' ? jsonAnswer({ id: `file-${index}` }, 201) : answerOf('dify');
  });
  assert.is((await harness.post('/v1/chat/completions', asked)).status, 200);
  const paths = upstream.requests.slice(1).map(({ url }) => url);
  assert.equal(paths, ['/v1/files/upload', '/v1/files/upload', '/v1/chat-messages']);
  // The second channel was handed the file anew: an id is good for one account only.
  assert.match(upstream.requests[3]?.body.toString() ?? '', '"upload_file_id":"file-2"');
  upstream.script(jsonAnswer({ strange: true }, 201));
  assert.ok((await harness.post('/v1/chat/completions', asked)).status >= 500);
  assert.equal(
    (await harness.rows()).map(({ quota }) => quota > 0),
    [false, true, false],
  );
});

test('Coze is handed files of every turn, named inside its messages', async (context) => {
  const { harness, upstream } = context;
  serve(context, 103, 'bot-73', 'pat_k|someone');
  upstream.script(({ url }, index) =>
    url === '/v1/files/upload'
      ? jsonAnswer({ code: 0, msg: '', data: { id: `7${index}`, bytes: 16, file_name: 'file.png' } })
      : answerOf('coze'),
  );
  const other = inline('image/jpeg', Buffer.from('ffd8ffe000104a46', 'hex'));
  const response = await harness.post('/v1/messages', {
    model: 'bot-73',
    max_tokens: 100,
    system: 'Be brief.',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture.toString('base64') } },
          { type: 'text', text: 'and this?' },
        ],
      },
      { role: 'assistant', content: 'A cat.' },
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: other.split(',')[1] } },
          { type: 'image', source: { type: 'url', url: 'https://pictures.example/b.png' } },
        ],
      },
    ],
  });
  assert.is(response.status, 200, await response.clone().text());
  const [first, second, third] = upstream.requests;
  assert.equal([first?.url, second?.url, third?.url], ['/v1/files/upload', '/v1/files/upload', '/v3/chat']);
  assert.is(first?.headers.authorization, 'Bearer pat_k');
  assert.is((await fileIn(first)).name, 'file.png');
  assert.is((await fileIn(second)).name, 'file.jpg');
  const sent = JSON.parse(third?.body.toString() ?? '');
  const contents = sent.additional_messages.map(({ content, content_type }: Record<string, string>) =>
    content_type === 'object_string' ? JSON.parse(content ?? '') : content,
  );
  assert.equal(contents, [
    [
      { type: 'text', text: 'Be brief.' },
      { type: 'image', file_id: '70' },
      { type: 'text', text: 'and this?' },
    ],
    'A cat.',
    [
      { type: 'image', file_id: '71' },
      { type: 'image', file_url: 'https://pictures.example/b.png' },
    ],
  ]);
  upstream.script(jsonAnswer({ code: 4100, msg: 'authentication is invalid' }));
  const refused = await harness.post('/v1/chat/completions', { model: 'bot-73', messages: question('a', image) });
  assert.ok(refused.status >= 400);
  const inVain = upstream.requests.slice(3);
  assert.ok(inVain.length > 0 && inVain.every(({ url }) => url === '/v1/files/upload'));
});

test('a client that leaves while its files are handed in ends the matter', async (context) => {
  const { harness, upstream } = context;
  serve(context, 37, 'app', 'app-key');
  const leaving = new AbortController();
  upstream.script(async () => {
    leaving.abort();
    await new Promise((resolve) => setTimeout(resolve, 150));
    return jsonAnswer({ id: 'file-1' }, 201);
  });
  const asked = { model: 'app', stream: true, messages: question('what?', image) };
  await harness.post('/v1/chat/completions', asked, { signal: leaving.signal }).catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.is(upstream.requests.length, 1);
  assert.is((await harness.rows())[0]?.quota ?? 0, 0);
});

test.run();
