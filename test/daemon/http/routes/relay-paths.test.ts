import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { matchRelayPath, pathOf } from '../../../../daemon/http/routes/relay-paths.ts';

const test = suite('http/routes/relay-paths');

test('takes the path out of a request target', () => {
  assert.is(pathOf('/v1/models?key=1'), '/v1/models');
  assert.is(pathOf('///v1/models/'), '/v1/models');
  assert.is(pathOf('http://elsewhere/v1/models'), undefined);
  assert.is(pathOf('*'), undefined);
  assert.is(pathOf('/'), '/');
});

test('leaves paths alone that are not the relay’s', () => {
  for (const path of [
    '/',
    '/api/status',
    '/api/mj/self',
    '/api/mj',
    '/api/task/self',
    '/login',
    '/v1x/models',
    '/v2',
    '/models-page',
  ]) {
    assert.is(matchRelayPath('GET', path), undefined, path);
  }
});

test('knows drawing paths with and without a mode', () => {
  const call = (method: string, path: string, query = '') => {
    const match = matchRelayPath(method, path, () => new URLSearchParams(query));
    return match?.kind === 'drawing' ? match.call : match?.kind;
  };
  assert.equal(call('POST', '/mj/submit/imagine'), { does: 'submit', kind: 'imagine', prefix: undefined });
  assert.equal(call('POST', '/mj-turbo/mj/submit/blend'), { does: 'submit', kind: 'blend', prefix: 'mj-turbo' });
  assert.equal(call('POST', '/mj/insight-face/swap'), { does: 'submit', kind: 'swap', prefix: undefined });
  assert.equal(call('GET', '/fast/mj/task/1/fetch'), { does: 'fetch', id: '1' });
  assert.equal(call('HEAD', '/mj/task/a%20b/image-seed'), { does: 'seed', id: 'a b' });
  assert.equal(call('POST', '/mj/task/list-by-condition'), { does: 'list' });
  assert.equal(call('POST', '/mj/notify', 'c=1&s=x'), { does: 'notify', channel: '1', secret: 'x' });
  assert.is(call('GET', '/mj/submit/imagine'), 'wrong-method');
  for (const path of ['/mj/submit/swap', '/mj/submit/nothing', '/mj/task/1', '/mj/task/../fetch', '/mj/x//y']) {
    assert.is(call('POST', path), 'not-found', path);
  }
  // Pictures are shown to sessions, too: they have a door of their own.
  assert.is(call('GET', '/mj/image/1'), undefined);
  assert.is(call('POST', '/mj/image/1'), 'wrong-method');
});

test('knows the paths of music tasks', () => {
  const call = (method: string, path: string) => {
    const match = matchRelayPath(method, path);
    return match?.kind === 'song' ? match.call : match?.kind;
  };
  assert.equal(call('POST', '/suno/submit/MUSIC'), { does: 'submit', action: 'MUSIC' });
  assert.equal(call('POST', '/suno/fetch'), { does: 'list' });
  assert.equal(call('GET', '/suno/fetch/a%20b'), { does: 'fetch', id: 'a b' });
  assert.is(call('GET', '/suno/submit/MUSIC'), 'wrong-method');
  assert.is(call('POST', '/suno/fetch/1'), 'wrong-method');
  for (const path of ['/suno/account', '/suno/submit/uploads/audio', '/suno/fetch/../x']) {
    assert.is(call('GET', path), 'not-found', path);
  }
});

test('names models that hold slashes and colons', () => {
  const one = matchRelayPath('GET', '/v1/models/org/model:free');
  assert.is(one?.kind === 'models' && one.model, 'org/model:free');
  // Nothing is deleted here, whatever a name looks like.
  for (const path of ['/v1/models/gpt-4o', '/v1/models/org/model:free', '/v1beta/models/gemini:generateContent']) {
    assert.is(matchRelayPath('DELETE', path)?.kind, 'not-implemented', path);
  }
  const removed = matchRelayPath('DELETE', '/v1/models/org/model:free');
  assert.is(removed?.kind === 'not-implemented' && removed.endpoint.surface, 'openai');
  const action = matchRelayPath('POST', '/v1beta/models/publishers%2Fgoogle%2Fmodels%2Fgemini:generateContent');
  assert.is(action?.kind, 'not-found');
  const plain = matchRelayPath('POST', '/v1beta/models/gemini-2.5-pro:generateContent');
  assert.is(plain?.kind === 'call' && plain.pathModel, 'gemini-2.5-pro');
  const engine = matchRelayPath('POST', '/v1/engines/text-embedding-3-small/embeddings');
  assert.is(engine?.kind === 'call' && engine.pathModel, 'text-embedding-3-small');
});

test('tells the two paths of Responses that are served from those of what upstreams keep', () => {
  const formatAt = (path: string) => {
    const match = matchRelayPath('POST', path);
    return match?.kind === 'call' ? match.endpoint.format : match?.kind;
  };
  assert.is(formatAt('/v1/responses'), 'openai-responses');
  assert.is(formatAt('/hf/v1/responses/compact'), 'openai-responses-compact');
  assert.is(formatAt('/v1/responses/resp_1/cancel'), 'not-implemented');
  assert.is(formatAt('/v1/images/variations'), 'openai-image-variations');
  for (const path of ['/v1/responses/compact', '/v1/images/variations']) {
    const wrong = matchRelayPath('GET', path);
    assert.is(wrong?.kind === 'wrong-method' && wrong.allow, 'POST', path);
  }
});

test('serves the same below /hf/v1', () => {
  assert.is(matchRelayPath('POST', '/hf/v1/chat/completions')?.kind, 'call');
});

test.run();
