import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Endpoint, endpoint } from '../../../daemon/contract/endpoint.ts';
import { RouteTable } from '../../../daemon/http/route-table.ts';

const routes = suite('route table');

const declare = (method: Endpoint['method'], path: string, more: Partial<Endpoint> = {}): Endpoint =>
  endpoint({ method, path, access: 'public', shape: 'data', description: { en: '', zh: '' }, ...more });

const table = new RouteTable(
  [
    declare('GET', '/api/thing/'),
    declare('POST', '/api/thing/'),
    declare('GET', '/api/thing/search'),
    declare('GET', '/api/thing/:id'),
    declare('DELETE', '/api/thing/:id'),
    declare('GET', '/api/thing/:id/keys/:key_hash'),
    declare('POST', '/api/thing/:id/keys/test'),
    declare('GET', '/api/thing/:id/:part/test'),
    declare('GET', '/api/token', { effect: 'changes', aliases: [{ method: 'POST' }, { path: '/api/alias' }] }),
    declare('GET', '/api/openapi.json'),
  ].map((declared) => ({ endpoint: declared, answer: async () => Promise.reject(new Error('not called')) })),
);

function found(method: string, path: string): string | undefined {
  const match = table.find(method, path);
  if (match?.kind === 'wrong-method') return `not ${match.allow}`;
  return match && `${match.method} ${match.route.endpoint.path} ${JSON.stringify(match.pathMembers)}`;
}

routes('finds names before patterns, with one trailing slash or none', () => {
  for (const path of ['/api/thing', '/api/thing/']) assert.is(found('GET', path), 'GET /api/thing/ {}');
  for (const path of ['/api/thing/search', '/api/thing/search/'])
    assert.is(found('GET', path), 'GET /api/thing/search {}');
  assert.is(found('GET', '/api/thing/7/'), 'GET /api/thing/:id {"id":"7"}');
  assert.is(found('GET', '/api/thing//'), undefined);
});

routes('takes a name before a parameter, whatever was declared first', () => {
  assert.is(found('POST', '/api/thing/7/keys/test'), 'POST /api/thing/:id/keys/test {"id":"7"}');
  assert.is(found('GET', '/api/thing/7/keys/test'), 'not POST');
  assert.is(found('GET', '/api/thing/7/locks/test'), 'GET /api/thing/:id/:part/test {"id":"7","part":"locks"}');
  assert.is(
    found('GET', '/api/thing/7/keys/tested'),
    'GET /api/thing/:id/keys/:key_hash {"id":"7","key_hash":"tested"}',
  );
});

routes('takes for an id only what an id looks like', () => {
  for (const id of ['0', '01', '-1', '1.0', '1e3', '12345678901234567', 'x', '7%20']) {
    assert.is(found('GET', `/api/thing/${id}`), undefined, id);
  }
  assert.is(found('GET', '/api/thing/9007199254740991'), 'GET /api/thing/:id {"id":"9007199254740991"}');
  assert.is(found('GET', '/api/thing/7/keys/ab12'), 'GET /api/thing/:id/keys/:key_hash {"id":"7","key_hash":"ab12"}');
  assert.is(found('GET', '/api/thing/7/keys/a%2fb'), undefined);
});

routes('says which methods a path has', () => {
  assert.is(found('PUT', '/api/thing'), 'not GET, POST, HEAD');
  assert.is(found('PATCH', '/api/thing/7'), 'not GET, DELETE, HEAD');
});

routes('answers HEAD as GET unless the GET changes something', () => {
  assert.is(found('HEAD', '/api/thing/7'), 'GET /api/thing/:id {"id":"7"}');
  assert.is(found('HEAD', '/api/token'), 'not GET, POST');
  assert.is(found('POST', '/api/token/'), 'POST /api/token {}');
  assert.is(found('GET', '/api/alias'), 'GET /api/token {}');
});

routes('takes a dot for a dot', () => {
  assert.is(found('GET', '/api/openapi.json'), 'GET /api/openapi.json {}');
  assert.is(found('GET', '/api/openapiXjson'), undefined);
});

routes('refuses two endpoints at one address', () => {
  const twice = [declare('GET', '/api/x'), declare('GET', '/api/x/')];
  const answer = async () => Promise.reject(new Error('not called'));
  assert.throws(() => new RouteTable(twice.map((declared) => ({ endpoint: declared, answer }))), /two endpoints claim/);
});

routes.run();
