/** Whom the command line trusts: authorities beside Node's own, directly and through a proxy, and nobody else. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createProxy } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { rootCertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runBuilt, runProgram, wordsOf } from '../support/command-line.ts';
import { PseudoTerminal } from '../support/pseudo-terminal.ts';
import { startWebServer } from '../support/web-server.ts';

const trust = suite('trust of the command line');

const certificate = fileURLToPath(new URL('../fixtures/tls/localhost.crt', import.meta.url));
const key = readFileSync(new URL('../fixtures/tls/localhost.key', import.meta.url));

const site = createServer({ key, cert: readFileSync(certificate) }, (_request, response) => {
  response.setHeader('content-type', 'application/json').end('{"success":true,"message":"","data":["gpt-4o"]}');
});
const tunnels: (string | undefined)[] = [];
/** Addresses that were asked of the proxy in the clear. */
const passed: (string | undefined)[] = [];
const proxy = createProxy(({ url }, response) => {
  passed.push(url);
  response.setHeader('content-type', 'application/json').end('{"success":true,"message":"","data":["gpt-4o"]}');
}).on('connect', ({ url }, socket) => {
  tunnels.push(url);
  const upstream = connect(Number(url?.split(':').at(-1)), '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    upstream.pipe(socket).pipe(upstream);
  });
  upstream.on('error', () => socket.destroy());
  socket.on('error', () => upstream.destroy());
});
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
let folder: string;
let environment: Record<string, string>;

trust.before(async () => {
  site.listen(0, '127.0.0.1');
  proxy.listen(0, '127.0.0.1');
  await Promise.all([once(site, 'listening'), once(proxy, 'listening')]);
  folder = mkdtempSync(join(tmpdir(), 'tollgate-trust-'));
  environment = {
    TOLLGATE_CONFIG_DIR: folder,
    TOLLGATE_URL: `https://localhost:${portOf(site)}`,
    TOLLGATE_ACCESS_TOKEN: 'x'.repeat(32),
  };
});
trust.after(() => {
  site.closeAllConnections();
  site.close();
  proxy.closeAllConnections();
  proxy.close();
  rmSync(folder, { recursive: true, force: true });
});

trust('needs an authority it knows, or one that --ca-file, a profile or NODE_EXTRA_CA_CERTS names', async () => {
  const unknown = await runProgram(wordsOf('account models'), { environment });
  assert.is(unknown.code, 10, unknown.stderr);
  assert.match(unknown.stderr, /SELF_SIGNED|UNABLE_TO_VERIFY|SIGNATURE/);
  // Each way of asking says the reason, and what to do about it.
  for (const line of ['account models', 'status', 'api GET /api/user/models']) {
    const { stderr } = await runProgram(wordsOf(line), { environment });
    assert.match(stderr, /SELF_SIGNED.*\n {2}try: name its authority with --ca-file FILE/);
  }
  const named = await runProgram([...wordsOf('account models --ca-file'), certificate], { environment });
  assert.equal([named.code, named.stdout], [0, 'gpt-4o\n'], named.stderr);
  const other = join(folder, 'other.pem');
  writeFileSync(other, 'no certificate');
  const strange = await runProgram([...wordsOf('account models --ca-file'), other], { environment });
  assert.is(strange.code, 12, 'a file that would be passed over');
  assert.match(strange.stderr, /other\.pem holds no certificate in PEM/);
  const absent = await runProgram(wordsOf('account models --ca-file /nonexistent.pem'), { environment });
  assert.is(absent.code, 12, absent.stderr);
  const profile = `current: p\nprofiles:\n  p:\n    url: ${environment.TOLLGATE_URL}\n    ca_file: ${certificate}\n`;
  writeFileSync(join(folder, 'profiles.yaml'), profile, { mode: 0o600 });
  assert.is((await runProgram(wordsOf('account models'), { environment })).code, 0);
  rmSync(join(folder, 'profiles.yaml'));
  const extra = { ...environment, NODE_EXTRA_CA_CERTS: certificate };
  assert.is((await runBuilt(wordsOf('account models'), { environment: extra })).code, 0);
  // Another authority does not put that one out of force.
  const another = join(folder, 'another.pem');
  writeFileSync(another, rootCertificates[0] ?? '');
  const both = await runBuilt([...wordsOf('account models --ca-file'), another], { environment: extra });
  assert.is(both.code, 0, both.stderr);
});

trust(
  'tells in doctor how long the certificate lasts, directly and where a proxy alone reaches the server',
  async () => {
    const ready = createServer({ key, cert: readFileSync(certificate) }, (_request, response) => {
      response.setHeader('content-type', 'application/json').end('{"success":true,"message":"","data":{}}');
    }).listen(0, '127.0.0.1');
    await once(ready, 'listening');
    // Wherever a tunnel shall lead, this one leads there.
    const elsewhere = createProxy().on('connect', (_request, socket) => {
      const upstream = connect(portOf(ready), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
    });
    await once(elsewhere.listen(0, '127.0.0.1'), 'listening');
    const words = [...wordsOf('doctor --only connection -o json --ca-file'), certificate];
    const ways = [
      { TOLLGATE_URL: `https://localhost:${portOf(ready)}` },
      { TOLLGATE_URL: 'https://localhost:2', HTTPS_PROXY: `http://127.0.0.1:${portOf(elsewhere)}` },
    ];
    try {
      for (const way of ways) {
        const { code, stdout, stderr } = await runProgram(words, { environment: { ...environment, ...way } });
        assert.is(code, 0, stderr);
        const { result, found } = JSON.parse(stdout).find(({ check }: { check: string }) => check === 'certificate');
        assert.is(result, 'ok');
        assert.match(found, /^\d+ days left$/);
      }
    } finally {
      ready.closeAllConnections();
      ready.close();
      elsewhere.closeAllConnections();
      elsewhere.close();
    }
  },
);

trust('asks a proxy that speaks TLS in silence, whether it has a name or an address', async () => {
  const speaking = createServer({ key, cert: readFileSync(certificate) }).on('connect', (_request, socket) => {
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await once(speaking.listen(0, '127.0.0.1'), 'listening');
  const reasons = [];
  try {
    for (const host of ['localhost', '127.0.0.1']) {
      const HTTPS_PROXY = `https://${host}:${portOf(speaking)}`;
      const words = [...wordsOf('account models --ca-file'), certificate];
      const { code, stderr } = await runBuilt(words, { environment: { ...environment, HTTPS_PROXY } });
      assert.is(code, 10, stderr);
      // Node warns in front of the error of an address that is sent as a name.
      reasons.push(/^error: the proxy .* \((.*)\) \(network_error\)\n {2}try: [^\n]*\n$/.exec(stderr)?.[1] ?? stderr);
    }
  } finally {
    speaking.closeAllConnections();
    speaking.close();
  }
  // The certificate is for the name alone, and is judged by the address where the proxy has one.
  assert.equal(reasons, ['HTTP 502', 'ERR_TLS_CERT_ALTNAME_INVALID']);
});

trust('keeps in the profile the authority that a sign-in named, for commands in any folder', async () => {
  const owner = { id: 1, username: 'root', role: 100, expires_at: 1_900_000_000, scopes: null, machine_token: null };
  const answering = createServer({ key, cert: readFileSync(certificate) }, ({ url }, response) => {
    const data = url?.endsWith('/credential') ? owner : ['gpt-4o'];
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ success: true, message: '', data }));
  }).listen(0, '127.0.0.1');
  await once(answering, 'listening');
  const own = { TOLLGATE_CONFIG_DIR: join(folder, 'signed-in') };
  const url = `https://localhost:${portOf(answering)}`;
  const fromHere = relative(process.cwd(), certificate);
  try {
    const words = [...wordsOf(`login --with-token --url ${url} --ca-file`), fromHere];
    const signedIn = await runProgram(words, { environment: own, input: 'x'.repeat(32) });
    assert.is(signedIn.code, 0, signedIn.stderr);
    const next = await runProgram(wordsOf('account models'), { environment: own });
    assert.equal([next.code, next.stdout], [0, 'gpt-4o\n'], next.stderr);
    assert.is(
      (
        await runProgram([...wordsOf('profile create p2 --url https://x.example --ca-file'), fromHere], {
          environment: own,
        })
      ).code,
      0,
    );
    for (const name of ['default', 'p2']) {
      const kept = await runProgram(wordsOf(`profile get ${name} --json=ca_file`), { environment: own });
      assert.is(JSON.parse(kept.stdout).ca_file, resolve(certificate), kept.stdout);
    }
  } finally {
    answering.closeAllConnections();
    answering.close();
  }
});

trust('holds through a proxy as well, which NO_PROXY goes around', async () => {
  const proxied = { ...environment, HTTPS_PROXY: `http://127.0.0.1:${portOf(proxy)}` };
  const words = [...wordsOf('account models --ca-file'), certificate];
  const ended = await runProgram(words, { environment: proxied });
  assert.is(ended.code, 0, ended.stderr);
  assert.equal(tunnels.splice(0), [`localhost:${portOf(site)}`]);
  assert.is((await runProgram(wordsOf('account models'), { environment: proxied })).code, 10);
  tunnels.splice(0);
  assert.is((await runProgram(words, { environment: { ...proxied, NO_PROXY: 'localhost' } })).code, 0);
  assert.equal(tunnels, []);
});

trust('says which proxy does not let a call through, and ends then', async () => {
  let asked = 0;
  // One that closes connections was asked again without end, and one that never answers kept the program alive.
  const closing = createTcp((socket) => void socket.once('data', () => socket.destroy()).on('error', () => undefined));
  const refusing = createTcp((socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'));
  const silent = createTcp((socket) => void socket.on('error', () => undefined));
  closing.on('connection', () => {
    asked += 1;
  });
  for (const server of [closing, refusing, silent]) await once(server.listen(0, '127.0.0.1'), 'listening');
  const through = (HTTPS_PROXY: string, words: string) =>
    runBuilt(wordsOf(words), { environment: { ...environment, HTTPS_PROXY } });
  try {
    const closed = await through(`http://127.0.0.1:${portOf(closing)}`, 'account models');
    assert.is(closed.code, 10, closed.stderr);
    assert.match(
      closed.stderr,
      /the proxy 127\.0\.0\.1:\d+ did not let the call through .*\n {2}try: check HTTPS_PROXY/,
    );
    assert.is(asked, 3, 'a try and two more');
    // As curl reads it, without a scheme.
    const refused = await through(`127.0.0.1:${portOf(refusing)}`, 'account models');
    assert.is(refused.code, 10);
    assert.match(refused.stderr, /\(HTTP 407\)/);
    assert.is((await through(`http://127.0.0.1:${portOf(silent)}`, 'account models --timeout 1s')).code, 8);
    const wrong = await through('http://', 'account models');
    assert.is(wrong.code, 3);
    assert.match(wrong.stderr, /HTTPS_PROXY holds no address of a proxy/);
  } finally {
    for (const server of [closing, refusing, silent]) server.close();
  }
});

trust('refuses an address that is none, or that holds a password, without showing it', async () => {
  for (const url of ['http://127.0.0.1:99999', 'ftp://gw.test', 'https://root:a-secret@gw.test']) {
    const { code, stderr } = await runProgram([...wordsOf('account models --url'), url], { environment });
    assert.is(code, 3, stderr);
    assert.not.match(stderr, /a-secret/);
  }
});

trust('sends a token in the clear to no other machine, nor to a proxy on the way to this one', async () => {
  const here = await startWebServer(() => ({ success: true, message: '', data: ['gpt-4o'] }));
  const proxied = { ...environment, HTTP_PROXY: `http://127.0.0.1:${portOf(proxy)}`, TOLLGATE_URL: 'http://gw.test' };
  const words = wordsOf('account models');
  try {
    for (const line of ['account models', 'api GET /api/user/models']) {
      const refused = await runProgram(wordsOf(line), { environment: proxied });
      assert.is(refused.code, 3, refused.stderr);
      assert.match(refused.stderr, /without TLS/);
    }
    assert.equal([passed, tunnels], [[], []]);
    const local = await runProgram(words, { environment: { ...proxied, TOLLGATE_URL: here.url } });
    assert.is(local.code, 0, local.stderr);
    assert.equal([here.asked.length, passed], [1, []]);
    const profile = 'current: p\nprofiles:\n  p:\n    url: http://gw.test\n    allow_http: true\n';
    writeFileSync(join(folder, 'profiles.yaml'), profile, { mode: 0o600 });
    const allowed = await runProgram(words, { environment: proxied });
    assert.equal([allowed.code, allowed.stdout], [0, 'gpt-4o\n'], allowed.stderr);
    // Not by a tunnel, which proxies refuse to the port of plain http.
    assert.equal([passed, tunnels], [['http://gw.test/api/user/models'], []]);
  } finally {
    rmSync(join(folder, 'profiles.yaml'), { force: true });
    await here.stop();
  }
});

trust('sends nothing that no header carries, such as a token copied from where it is shown in part', async () => {
  const masked = { ...environment, TOLLGATE_ACCESS_TOKEN: 'tgm_ab…yz' };
  for (const [line, source] of [
    ['account models', 'TOLLGATE_ACCESS_TOKEN'],
    ['login --with-token', 'standard input'],
  ] as const) {
    const refused = await runProgram(wordsOf(line), { environment: masked, input: 'tgm_ab…yz\n' });
    assert.is(refused.code, 3, refused.stderr);
    assert.match(refused.stderr, `${source} holds no token`);
    assert.match(refused.stderr, 'try: copy the whole token');
  }
});

trust('follows no redirect with a token, and shows each call where TOLLGATE_DEBUG is set', async () => {
  const elsewhere = await startWebServer(() => ({ success: true, message: '', data: [] }));
  const here = await startWebServer((_call, response) => {
    response.writeHead(302, { Location: `${elsewhere.url}/api/user/models` });
    response.end();
  });
  try {
    const redirected = await runProgram(wordsOf('account models'), {
      environment: { ...environment, TOLLGATE_URL: here.url, TOLLGATE_DEBUG: '1' },
    });
    assert.is.not(redirected.code, 0);
    assert.match(redirected.stderr, /this is no answer of Tollgate: HTTP 302, http:\/\/127/);
    assert.match(redirected.stderr, /^GET \/api\/user\/models 302 \d+ ms/);
    assert.is(elsewhere.asked.length, 0);
  } finally {
    await Promise.all([here.stop(), elsewhere.stop()]);
  }
});

trust('does not take the 404 of something else for an answer of Tollgate that something is not there', async () => {
  const other = await startWebServer((_call, response) => {
    response.writeHead(404, { 'Content-Type': 'text/html' }).end('<html>Not Found</html>');
  });
  try {
    const told = await runProgram(wordsOf('user get alice'), {
      environment: { ...environment, TOLLGATE_URL: other.url },
    });
    assert.is(told.code, 70);
    assert.match(told.stderr, /this is no answer of Tollgate: HTTP 404[\s\S]*try: check --url/);
  } finally {
    await other.stop();
  }
});

trust('asks on a terminal in spite of --yes where the profile says confirm: always', async () => {
  const server = await startWebServer(() => ({ success: true, message: '', data: { id: 7, name: 'a' } }));
  const profile = `current: p\nprofiles:\n  p:\n    url: ${server.url}\n    token: ${'x'.repeat(32)}\n    confirm: always\n`;
  writeFileSync(join(folder, 'profiles.yaml'), profile, { mode: 0o600 });
  const asking = (before: string) =>
    new PseudoTerminal(
      wordsOf('token delete 7 --yes'),
      { TOLLGATE_CONFIG_DIR: folder },
      { before: `stty cols 90 rows 30; cd '${folder}'; ${before}` },
    );
  const terminal = asking(':');
  const closed = asking(':');
  // By its arguments: the name of the process is not the same in all versions of Node.
  const ended = asking('( until [ -e go ]; do sleep 0.1; done; pkill -TERM -P $$ -f tollgate.js ) & :');
  try {
    await terminal.until(/Delete token 7\?/);
    terminal.type('\u0003');
    await terminal.until(/nothing was changed \(interrupted\)/);
    assert.is(await terminal.ended(), 130, 'Ctrl-C at a question is Ctrl-C');
    await closed.until(/Delete token 7\?[\s\S]*No/);
    closed.type('\u0004');
    await closed.until(/nothing was changed \(interrupted\)/);
    assert.is(await closed.ended(), 130, 'the end of the input is no answer');
    await ended.until(/Delete token 7\?[\s\S]*No/);
    writeFileSync(join(folder, 'go'), '');
    assert.is(await ended.ended(), 143, 'a question does not outlive SIGTERM');
    assert.is(server.asked.filter(({ method }) => method === 'DELETE').length, 0);
  } finally {
    for (const one of [terminal, closed, ended]) one.kill();
    const scripted = await runProgram(wordsOf('token delete 7 --yes'), {
      environment: { TOLLGATE_CONFIG_DIR: folder },
    });
    await server.stop();
    assert.is(scripted.code, 0, scripted.stderr);
  }
});

trust.run();
