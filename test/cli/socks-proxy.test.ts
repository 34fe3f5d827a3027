/** The way through a SOCKS proxy: what gets through, and which of proxy and server is told of when something does not. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcp, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runBuilt, wordsOf } from '../support/command-line.ts';

const socks = suite('SOCKS proxy of the command line');

const certificate = fileURLToPath(new URL('../fixtures/tls/localhost.crt', import.meta.url));
const key = readFileSync(new URL('../fixtures/tls/localhost.key', import.meta.url));
const site = createServer({ key, cert: readFileSync(certificate) }, (_request, response) => {
  response.setHeader('content-type', 'application/json').end('{"success":true,"message":"","data":["gpt-4o"]}');
});

/** A port of the site to which proxies alone find. */
const hidden = 2;

/** What was asked of the proxy: credentials, then where to. */
const asked: string[] = [];

/** RFC 1928 and 1929. @param reply 0 lets calls through to this machine, whatever the name; all else refuses them */
const proxyWith = (reply: number) =>
  createTcp(async (socket) => {
    socket.on('error', () => undefined);
    const [greeting = Buffer.alloc(0)]: Buffer[] = await once(socket, 'data');
    const takesPassword = greeting.subarray(2).includes(2);
    socket.write(Buffer.from([5, takesPassword ? 2 : 0]));
    if (takesPassword) {
      const [login = Buffer.alloc(0)]: Buffer[] = await once(socket, 'data');
      const name = login.subarray(2, 2 + (login[1] ?? 0));
      asked.push(`${name}:${login.subarray(3 + name.length)}`);
      socket.write(Buffer.from([1, 0]));
    }
    const [wanted = Buffer.alloc(0)]: Buffer[] = await once(socket, 'data');
    const port = wanted.readUInt16BE(wanted.length - 2);
    asked.push(wanted[3] === 3 ? String(wanted.subarray(5, -2)) : wanted.subarray(4, -2).join('.'));
    const answer = () => socket.write(Buffer.from([5, reply, 0, 1, 0, 0, 0, 0, 0, 0]));
    if (reply !== 0) return void answer();
    const upstream: Socket = connect(port === hidden ? portOf(site) : port, '127.0.0.1', () => {
      answer();
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
  });
const open = proxyWith(0);
const refusing = proxyWith(2);
const silent = createTcp((socket) => void socket.on('error', () => undefined));

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
let folder: string;
const through = (HTTPS_PROXY: string, line: string, more: { host?: string; port?: number; NO_PROXY?: string } = {}) => {
  const { host = 'localhost', port = portOf(site), ...noProxy } = more;
  const environment = {
    TOLLGATE_CONFIG_DIR: folder,
    TOLLGATE_URL: `https://${host}:${port}`,
    TOLLGATE_ACCESS_TOKEN: 'x'.repeat(32),
    HTTPS_PROXY,
    ...noProxy,
  };
  return runBuilt(wordsOf(line), { environment });
};
const trusting = `account models --ca-file '${certificate}'`;

socks.before(async () => {
  for (const server of [site, open, refusing, silent]) await once(server.listen(0, '127.0.0.1'), 'listening');
  folder = mkdtempSync(join(tmpdir(), 'tollgate-socks-'));
});
socks.before.each(() => {
  asked.length = 0;
});
socks.after(() => {
  site.closeAllConnections();
  for (const server of [site, open, refusing, silent]) server.close();
  rmSync(folder, { recursive: true, force: true });
});

socks('calls the server by its name or its address, and says nothing else', async () => {
  const proxy = `socks5://127.0.0.1:${portOf(open)}`;
  const named = await through(proxy, trusting);
  assert.equal([named.code, named.stdout, named.stderr], [0, 'gpt-4o\n', '']);
  // The certificate is for the name alone. Node warned here of an address that is sent as one.
  const { stderr } = await through(proxy, trusting, { host: '127.0.0.1' });
  assert.match(stderr, /^error: .*ERR_TLS_CERT_ALTNAME_INVALID.*\n {2}try: .*\n$/);
  assert.equal(asked.slice(0, 2), ['localhost', '127.0.0.1']);
});

socks('takes the scheme of curl, and credentials as addresses write them', async () => {
  const { code, stderr } = await through(`socks5h://me:p%40ss@127.0.0.1:${portOf(open)}`, trusting);
  assert.is(code, 0, stderr);
  assert.equal(asked, ['me:p@ss', 'localhost']);
});

socks('looks at the certificate of the server, which is no fault of the proxy', async () => {
  const { code, stderr } = await through(`socks5://127.0.0.1:${portOf(open)}`, 'account models');
  assert.is(code, 10);
  assert.match(stderr, /localhost:\d+ was not reached \(.*(?:SELF_SIGNED|SIGNATURE).*\n {2}try: name its authority/);
});

socks('is the way on which doctor looks at the certificate, too', async () => {
  const proxy = `socks5://127.0.0.1:${portOf(open)}`;
  const line = `doctor --only connection -o json --ca-file '${certificate}'`;
  const { code, stdout, stderr } = await through(proxy, line, { port: hidden });
  assert.is(code, 0, stderr);
  const findings: { check: string; result: string }[] = JSON.parse(stdout);
  assert.is(findings.find(({ check }) => check === 'certificate')?.result, 'ok', stdout);
});

socks('is named where it refuses, is not there or says nothing, and the program ends', async () => {
  const gone = createTcp().listen(0, '127.0.0.1');
  await once(gone, 'listening');
  const cases: [number, RegExp][] = [
    [portOf(refusing), /Connection not allowed by ruleset/],
    [portOf(gone), /ECONNREFUSED/],
    [portOf(silent), /timeout/],
  ];
  gone.close();
  for (const [port, reason] of cases) {
    const { code, stderr } = await through(`socks5://127.0.0.1:${port}`, trusting);
    assert.is(code, 10, stderr);
    assert.match(stderr, new RegExp(`the proxy 127\\.0\\.0\\.1:${port} did not let the call through`), stderr);
    assert.match(stderr, reason);
    assert.match(stderr, /\n {2}try: check HTTPS_PROXY/);
  }
});

socks('gone around for what NO_PROXY names: a host, those below it, or one port of it', async () => {
  const proxy = `socks5://127.0.0.1:${portOf(refusing)}`;
  const codes: number[] = [];
  for (const NO_PROXY of ['*', 'other.test, localhost', `localhost:${portOf(site)}`, 'localhost:1', 'host']) {
    codes.push((await through(proxy, trusting, { NO_PROXY })).code ?? -1);
  }
  assert.equal(codes, [0, 0, 0, 10, 10]);
});

socks.run();
