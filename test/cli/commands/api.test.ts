/** `api`: status and headers of an answer, and lists from their first page to their last. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgram, wordsOf } from '../../support/command-line.ts';
import { startWebServer } from '../../support/web-server.ts';

const api = suite('api of the command line');

const rows = Array.from({ length: 250 }, (_, at) => ({ id: 250 - at }));
/** Pages and sizes that were asked for. */
const asked: string[] = [];
let server: Awaited<ReturnType<typeof startWebServer>>;

api.before(async () => {
  server = await startWebServer(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://server');
    const page = Number(searchParams.get('p'));
    const size = Number(searchParams.get('size') ?? searchParams.get('page_size'));
    asked.push(`${pathname} ${page} ${size}`);
    if (pathname === '/api/user/self') {
      response.setHeader('x-request-id', 'req-1').setHeader('set-cookie', 'session=hidden-1; HttpOnly');
      return { success: true, message: '', data: { id: 7 } };
    }
    if (pathname === '/api/user/9') {
      response.statusCode = 403;
      return { success: false, code: 'forbidden_role', message: 'no' };
    }
    // The list has moved by a row since the first page was asked for.
    const items = (from: number) => rows.slice(Math.max(0, from - 1), Math.max(0, from - 1) + size);
    if (pathname === '/api/token/') return { success: true, message: '', data: items(page * size), total: 250 };
    return { success: true, message: '', data: { items: items((page - 1) * size), total: 250, page, page_size: size } };
  });
});
api.after(() => server.stop());

const run = (line: string) =>
  runProgram(wordsOf(line), {
    environment: {
      TOLLGATE_CONFIG_DIR: '/nonexistent',
      TOLLGATE_URL: server.url,
      TOLLGATE_ACCESS_TOKEN: 'x'.repeat(32),
    },
  });

api('walks pages whatever the first is called, and drops what a list that moves shows twice', async () => {
  for (const [path, pages] of [
    ['/api/token/', [0, 1, 2]],
    ['/api/redemption/', [1, 2, 3]],
  ] as const) {
    asked.length = 0;
    const ended = await run(`api GET ${path} --paginate -o ndjson --json=id -f name=a`);
    assert.is(ended.code, 0, ended.stderr);
    assert.equal(
      ended.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      rows,
    );
    assert.equal(
      asked,
      pages.map((page) => `${path} ${page} 100`),
    );
  }
  assert.is((await run('api GET /api/token/ --paginate --jq length')).stdout, '250\n');
});

api('sends digits that a number would lose as the text that they are', async () => {
  for (const [value, sent] of [
    ['7', 7],
    ['-0.5', -0.5],
    ['007', '007'],
    ['00.5', '00.5'],
    ['12345678901234567890', '12345678901234567890'],
  ] as const) {
    const ended = await run(`api POST /api/user/topup -f name=${value} --dry-run --jq .body`);
    assert.is(ended.code, 0, ended.stderr);
    assert.equal(JSON.parse(ended.stdout), { name: sent });
  }
});

api('refuses to walk what has no pages, and answers that are to be shown as they came', async () => {
  asked.length = 0;
  for (const line of [
    'api GET /api/user/self --paginate',
    'api POST /api/token/ --paginate',
    'api GET /api/token/ --paginate --raw',
    'api GET /api/token/ --paginate -i',
  ]) {
    const ended = await run(line);
    assert.is(ended.code, 3, line);
    assert.is(ended.stdout, '');
  }
  assert.equal(asked, []);
});

api('shows status and headers before an answer, a refusal too, and never a session', async () => {
  const done = await run('api GET /api/user/self -i');
  assert.is(done.code, 0, done.stderr);
  assert.match(
    done.stdout,
    /^HTTP\/1\.1 200 OK\n(?:[\w-]+: .*\n)*x-request-id: req-1\n(?:[\w-]+: .*\n)*\n\{"id":7\}\n$/,
  );
  assert.match(done.stdout, /^set-cookie: session=\*\*\*; HttpOnly$/m);
  assert.not.match(done.stdout, /hidden-1/);
  const refused = await run('api GET /api/user/9 -i');
  assert.is(refused.code, 5);
  assert.match(refused.stdout, /^HTTP\/1\.1 403 Forbidden\n/);
  const raw = await run('api GET /api/user/9 --raw');
  assert.equal([raw.code, JSON.parse(raw.stdout).code, raw.stderr], [5, 'forbidden_role', '']);
});

api.run();
