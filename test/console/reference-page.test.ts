/** The API reference of the console: the relay's calls, examples in four languages, search, what may be tried. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { byTag, isMeant } from '../../console/pages/reference/call-search.ts';
import { exampleOf } from '../../console/pages/reference/examples.ts';
import { relayCalls } from '../../console/pages/reference/relay-calls.ts';
import { pieces } from '../../console/pages/reference/summary-text.tsx';
import { mayTry, triedAddress } from '../../console/pages/reference/trying.ts';
import { namedTags } from '../../console/pages/reference/use-tag-name.ts';
import { contract } from '../../daemon/contract/index.ts';
import { endpointsOf, openApiOf } from '../../daemon/contract/openapi.ts';
import { operationsOf } from '../../daemon/contract/openapi-reader.ts';
import { matchRelayPath, relayCallPaths } from '../../daemon/http/routes/relay-paths.ts';

const test = suite('console/reference-page');

const operations = operationsOf(JSON.parse(JSON.stringify(openApiOf(endpointsOf(contract), '1.0.0'))));
const relay = relayCalls((title) => title);
const origin = 'https://gateway.example';

function operation(id: string) {
  const found = operations.find((one) => one.id === id);
  if (!found) throw new Error(`no operation ${id}`);
  return found;
}

function relayCall(id: string) {
  const found = relay.find((one) => one.id === id);
  if (!found) throw new Error(`no call ${id}`);
  return found;
}

test('what stands between backticks in a summary is code, and a lone backtick is itself', () => {
  assert.equal(pieces('with `batch` one for `each`'), ['with ', 'batch', ' one for ', 'each', '']);
  assert.equal(pieces('a lone ` stays'), ['a lone ` stays']);
});

test('every call of the relay that is shown is one that the daemon serves', () => {
  for (const { method, path } of relay) {
    const kind = matchRelayPath(method, path.replace('{id}', '1'))?.kind;
    const isTask = kind === 'drawing' || kind === 'song';
    assert.ok(isTask || method === 'GET' || relayCallPaths.includes(path), path);
  }
  assert.is(new Set(relay.map(({ id }) => id)).size, relay.length);
});

test('a call of the management API in four languages', () => {
  const call = { ...operation('orders.complete'), bodyExample: { trade_no: "it's" } };
  assert.is(
    exampleOf(call, 'curl', origin),
    `curl "https://gateway.example/api/user/topup/complete" \\
  -H "Authorization: Bearer $TOLLGATE_ACCESS_TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{
  "trade_no": "it'\\''s"
}'`,
  );
  assert.is(
    exampleOf(call, 'js', origin),
    `const answer = await fetch('https://gateway.example/api/user/topup/complete', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.TOLLGATE_ACCESS_TOKEN}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({ trade_no: 'it\\'s' }),
});
console.log(await answer.json());`,
  );
  assert.is(
    exampleOf(call, 'python', origin),
    `import os
import requests

answer = requests.post(
    "https://gateway.example/api/user/topup/complete",
    headers={
        "Authorization": "Bearer " + os.environ["TOLLGATE_ACCESS_TOKEN"],
    },
    json={"trade_no": "it's"},
)
print(answer.json())`,
  );
  assert.is(
    exampleOf(call, 'cli', origin),
    `tollgate api POST '/api/user/topup/complete' --input '{"trade_no":"it'\\''s"}' --url https://gateway.example`,
  );
});

test('an example reads the answer as what it is: a file, lines of text, events', () => {
  const speech = relayCall('openai:speech');
  assert.match(exampleOf(speech, 'curl', origin) ?? '', ' --output speech.mp3 ');
  assert.match(
    exampleOf(speech, 'js', origin) ?? '',
    /^import \{ writeFile \}[\s\S]*writeFile\('speech\.mp3', answer\.body\);$/,
  );
  assert.match(exampleOf(speech, 'python', origin) ?? '', 'file.write(answer.content)');
  assert.match(exampleOf(operation('logs.export'), 'js', origin) ?? '', 'console.log(await answer.text());');
  assert.match(exampleOf(operation('logs.export'), 'python', origin) ?? '', 'print(answer.text)');
  assert.match(exampleOf(operation('events.follow'), 'curl', origin) ?? '', 'curl -N "');
  assert.match(exampleOf(operation('events.follow'), 'js', origin) ?? '', 'for await (const part of answer.body');
  assert.match(exampleOf(operation('events.follow'), 'python', origin) ?? '', 'stream=True');
});

test('examples carry the credential that the call takes, by its variable', () => {
  assert.not.match(exampleOf(operation('status.get'), 'curl', origin) ?? '', /Authorization|TOLLGATE_/);
  assert.is(
    exampleOf(operation('status.get'), 'js', origin),
    `const answer = await fetch('https://gateway.example/api/status');\nconsole.log(await answer.json());`,
  );
  assert.match(exampleOf(relayCall('anthropic:messages'), 'curl', origin) ?? '', /x-api-key: \$TOLLGATE_API_KEY"/);
  assert.match(
    exampleOf(relayCall('gemini:generate'), 'python', origin) ?? '',
    /models\/gemini-2\.5-flash:generateContent[\s\S]*"x-goog-api-key": os\.environ/,
  );
  assert.is(exampleOf(relayCall('openai:rerank'), 'cli', origin), undefined);
});

test('bodies with files are forms', () => {
  const call = relayCall('openai:transcriptions');
  assert.match(exampleOf(call, 'curl', origin) ?? '', /-F 'model=whisper-1' \\\n {2}-F 'file=@speech\.mp3'$/);
  assert.match(exampleOf(call, 'python', origin) ?? '', /files=\{"file": open\("speech\.mp3", "rb"\)\}/);
  assert.not.match(exampleOf(call, 'js', origin) ?? '', /application\/json/);
});

test('a search means calls in which every word stands, in either language', () => {
  assert.ok(isMeant(operation('orders.complete'), 'post TOPUP order_closed'));
  assert.ok(isMeant(operation('orders.complete'), '入账'));
  assert.not.ok(isMeant(operation('orders.complete'), 'topup nowhere'));
  assert.ok(isMeant(operation('orders.complete'), ' '));
});

test('groups keep their calls together', () => {
  const [one, two] = [operation('tokens.list'), operation('orders.list')];
  assert.equal(
    byTag([one, two, one]).map(([tag, calls]) => [tag, calls.length]),
    [
      ['tokens', 2],
      ['orders', 1],
    ],
  );
});

test('only reads with the own session are tried', () => {
  assert.ok(mayTry(operation('tokens.list'), true));
  assert.not.ok(mayTry(operation('tokens.list'), false));
  assert.ok(mayTry(operation('status.get'), false));
  for (const id of ['account.issueToken', 'account.logout', 'tokens.create', 'audits.export', 'billing.keyUsage']) {
    assert.not.ok(mayTry(operation(id), true), id);
  }
});

test('what was entered becomes the address, and nothing is sent while a part is missing', () => {
  const call = operation('orders.get');
  assert.is(triedAddress(call, {}), undefined);
  assert.is(triedAddress(call, { trade_no: ' a/b ' }), '/api/user/topup/a%2Fb');
  assert.is(triedAddress(operation('audits.list'), { actor: 'a b', action: '' }), '/api/audit/?actor=a+b');
});

test('every group of calls that are shown has a name', () => {
  const shown = new Set(operations.map(({ tag }) => tag));
  assert.equal(
    [...shown].filter((tag) => !namedTags.includes(tag)),
    [],
  );
});

test.run();
