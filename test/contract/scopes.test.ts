/**
 * What a machine token may call: every endpoint of the contract, with every scope there is (D25, S21).
 * Runs once: which endpoint asks for what is no matter of the database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addressesOf, changesSomething, type Endpoint } from '../../daemon/contract/endpoint.ts';
import { contract } from '../../daemon/contract/index.ts';
import { endpointsOf, openApiOf } from '../../daemon/contract/openapi.ts';
import { isScopeOfRole, plainScopes, readScopes, type Scope, scopes } from '../../daemon/contract/scopes.ts';
import { TollgateError } from '../../daemon/errors.ts';
import { type HttpHarness, startHttpHarness } from '../support/http-harness.ts';

const walk = suite('scopes of machine tokens');

/**
 * What no machine token may do, whatever its scopes: all by which an account is signed in to, and making more tokens.
 * A new endpoint names a scope, or is listed here.
 */
const refused = new Set([
  'account.delete',
  'account.issueToken',
  'cliSignIns.approve',
  'cliSignIns.authorize',
  'cliSignIns.deny',
  'cliSignIns.find',
  'machineTokens.create',
  'oauth.bindTelegram',
  'oauth.bindWechat',
  'passkeys.add',
  'passkeys.beginAdding',
  'passkeys.remove',
  'passkeys.rename',
  'secondFactor.begin',
  'secondFactor.disable',
  'secondFactor.enable',
  'secondFactor.renewRecoveryCodes',
  'secondFactor.reset',
  'sessions.end',
  'sessions.endAll',
  'sessions.list',
  'stepUp.beginPasskey',
  'stepUp.prove',
  'verification.bindEmail',
]);

/** Calls that change something though any token may make them: each touches that very token alone. */
const changesItself = new Set(['machineTokens.rotate', 'machineTokens.revoke']);
/** Reads that answer with what others can spend or call by, so that reading is not enough. */
const showsKeys = new Set(['channels.get', 'channels.export']);

const signedIn = endpointsOf(contract).filter(
  ({ endpoint }) => endpoint.access !== 'public' && (!endpoint.access.startsWith('key') || endpoint.ownKey),
);

let harness: HttpHarness;
/** A secret of root's for each scope, and one with all of them. */
const secrets = new Map<Scope | 'all', string>();

walk.before(async () => {
  const routes = endpointsOf(contract).map(({ endpoint }) => ({
    endpoint,
    answer: async () => {
      throw new TollgateError('busy');
    },
  }));
  harness = await startHttpHarness({ onlyRoutes: routes });
  const { user } = await harness.addUser({ role: 100 });
  const actor = { ...user, userId: user.id, via: 'session', ip: '127.0.0.1' } as const;
  const expiresAt = harness.world.nowSeconds() + 1000;
  for (const name of [...scopes, 'all'] as const) {
    const held = name === 'all' ? scopes : [name];
    const { secret } = await harness.machineTokens.create(actor, { name, scopes: held, expiresAt, allowIps: '' });
    secrets.set(name, secret);
  }
});
walk.after(() => harness.close());

/** What a call by root's token answers; `reached` is what the handler says. */
async function codeOf(endpoint: Endpoint, name: Scope | 'all'): Promise<string> {
  const query = endpoint.ownKey ? '?key=sk-nothing' : '';
  const response = await harness.request(`${endpoint.path.replace(/:[a-z_]+/g, '7')}${query}`, {
    method: endpoint.method,
    headers: { Authorization: `Bearer ${secrets.get(name)}` },
    ...(endpoint.method === 'POST' || endpoint.method === 'PUT' ? { body: '{}' } : {}),
  });
  const answer: { code: string; error?: { code: string } } = JSON.parse(await response.text());
  const code = answer.error?.code ?? answer.code;
  // A key in the query is looked for once the scope has been found to be enough.
  const isReached = code === 'busy' || (endpoint.ownKey !== undefined && code === 'access_denied');
  if (!isReached) assert.is(response.status, 403, `${endpoint.path}: ${code}`);
  return isReached ? 'reached' : code;
}

walk('are asked by each endpoint, or it refuses every machine token', async () => {
  for (const { name, endpoint } of signedIn) {
    const isOpen = endpoint.scope !== undefined;
    assert.is(isOpen, !refused.has(name), `${name}: name its scope, or say in \`refused\` that it has none`);
    assert.is(await codeOf(endpoint, 'all'), isOpen ? 'reached' : 'machine_token_not_supported', name);
  }
  const names = new Set(signedIn.map(({ name }) => name));
  assert.equal(
    [...refused, ...changesItself, ...showsKeys].filter((name) => !names.has(name)),
    [],
  );
});

walk('let through the calls that ask for them, writing includes reading, and nothing else', async () => {
  for (const { name, endpoint } of signedIn) {
    const { scope } = endpoint;
    if (scope === undefined || scope === 'any') continue;
    const [resource] = scope.split(':');
    // Nothing between resources: their neighbour stands for all others.
    const others = scopes.filter((each) => each.startsWith(`${resource}:`) || each === 'state:write');
    for (const held of [...others, ...(resource === 'state' ? (['user:write'] as const) : [])]) {
      const isEnough = held === scope || held === `${resource}:write`;
      assert.is(await codeOf(endpoint, held), isEnough ? 'reached' : 'scope_missing', `${name} with ${held}`);
    }
  }
});

walk('are of writing where a call changes something or shows keys', () => {
  for (const { name, endpoint } of signedIn) {
    const { scope } = endpoint;
    if (scope === undefined) continue;
    const changes = addressesOf(endpoint).some(({ method }) => changesSomething({ ...endpoint, method }));
    const isWriting = scope.endsWith(':write');
    if (changes && !changesItself.has(name)) assert.ok(isWriting, `${name} changes something and asks for ${scope}`);
    if (showsKeys.has(name)) assert.ok(isWriting, `${name} shows keys and asks for ${scope}`);
  }
});

walk('belong to users where users own something of theirs, and to administrators otherwise', () => {
  const ofUsers = new Set<string>();
  for (const { endpoint } of signedIn) {
    if (endpoint.scope !== undefined && (endpoint.access === 'user' || endpoint.ownKey)) ofUsers.add(endpoint.scope);
  }
  ofUsers.delete('any');
  assert.equal(scopes.filter((scope) => isScopeOfRole(scope, 1)).sort(), [...ofUsers].sort());
  assert.ok(scopes.every((scope) => isScopeOfRole(scope, 10)));
});

walk('are kept in one plain form, and unknown names of a stored list grant nothing', () => {
  assert.equal(plainScopes(['log:read', 'user:read', 'log:write', 'log:read']), ['user:read', 'log:write']);
  assert.equal(readScopes('log:read everything:write user:writ'), ['log:read']);
  assert.equal(readScopes(''), []);
});

walk('stand in the OpenAPI document, at the scheme and at every call', () => {
  const document = JSON.stringify(openApiOf(signedIn, '0'));
  const parsed: {
    components: { securitySchemes: { machineToken: { scheme: string; 'x-scopes': string[] } } };
    paths: Record<string, Record<string, { security: Record<string, string[]>[] }>>;
  } = JSON.parse(document);
  const { machineToken } = parsed.components.securitySchemes;
  assert.equal([machineToken.scheme, machineToken['x-scopes']], ['bearer', [...scopes]]);
  const securityOf = (path: string, method: string) =>
    parsed.paths[path]?.[method]?.security.flatMap((each) => (each.machineToken ? [each.machineToken] : []));
  assert.equal(securityOf('/api/redemption/', 'post'), [['redemption:write']]);
  assert.equal(securityOf('/api/user/credential', 'get'), [[]]);
  assert.equal(securityOf('/api/user/token', 'get'), []);
  assert.equal(securityOf('/api/log/token', 'get'), [['log:read']]);
});

walk.run();
