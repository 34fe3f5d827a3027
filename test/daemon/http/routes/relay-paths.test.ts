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
  for (const path of ['/mj/submit/imagine', '/fast/mj/task/1/fetch', '/mj-turbo/mj/submit/blend', '/suno/fetch/1']) {
    assert.is(matchRelayPath('POST', path)?.kind, 'not-implemented', path);
  }
});

test('names models that hold slashes and colons', () => {
  const one = matchRelayPath('GET', '/v1/models/org/model:free');
  assert.is(one?.kind === 'models' && one.model, 'org/model:free');
  const action = matchRelayPath('POST', '/v1beta/models/publishers%2Fgoogle%2Fmodels%2Fgemini:generateContent');
  assert.is(action?.kind, 'not-found');
  const plain = matchRelayPath('POST', '/v1beta/models/gemini-2.5-pro:generateContent');
  assert.is(plain?.kind === 'call' && plain.pathModel, 'gemini-2.5-pro');
  const engine = matchRelayPath('POST', '/v1/engines/text-embedding-3-small/embeddings');
  assert.is(engine?.kind === 'call' && engine.pathModel, 'text-embedding-3-small');
});

test('serves the same below /hf/v1', () => {
  assert.is(matchRelayPath('POST', '/hf/v1/chat/completions')?.kind, 'call');
});

test.run();
