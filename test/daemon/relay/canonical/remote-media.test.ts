import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatRequest } from '../../../../daemon/relay/canonical/chat.ts';
import { inlineMedia, listRemoteMedia } from '../../../../daemon/relay/canonical/remote-media.ts';
import { anyRequest } from '../../../conformance/translate.ts';

const test = suite('remote media');

function asking(...urls: string[]): ChatRequest {
  const parts = urls.map((url) => ({ type: 'image', source: { kind: 'url', url } }) as const);
  return { ...anyRequest, items: [{ type: 'user', parts }] };
}

test('lists each address of the open web once', () => {
  const request = asking('https://a.example/1.png', 'https://a.example/1.png', 'gs://b/c', 'https://youtu.be/x');
  assert.equal(listRemoteMedia(request, ['image']), [{ kind: 'image', url: 'https://a.example/1.png', place: 1 }]);
});

test('lists only the kinds that were asked for', () => {
  assert.equal(listRemoteMedia(asking('https://a.example/1.png'), ['document']), []);
});

test('puts what was fetched in place and leaves the request it was given alone', () => {
  const request = asking('https://a.example/1.png', 'https://a.example/2.png');
  const fetched = new Map([['https://a.example/1.png', { mediaType: 'image/png', data: 'AA==' }]]);
  const changed = inlineMedia(request, ['image'], fetched);
  const sources = changed.items.flatMap((item) =>
    item.type === 'user' ? item.parts.flatMap((part) => (part.type === 'image' ? [part.source.kind] : [])) : [],
  );
  assert.equal(sources, ['inline', 'url']);
  assert.equal(listRemoteMedia(request, ['image']).length, 2);
});

test.run();
