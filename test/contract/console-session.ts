/** A browser on the console: one cookie, the user's id in its header, Chinese, and envelopes that are what they should be. */
import * as assert from 'uvu/assert';

export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

export class ConsoleSession {
  readonly #url: string;
  #cookie = '';
  /** Id of the signed-in user; 0 before. */
  userId = 0;

  constructor(url: string) {
    this.#url = url;
  }

  get headers(): Record<string, string> {
    return {
      'Accept-Language': 'zh',
      'Cache-Control': 'no-store',
      ...(this.#cookie === '' ? {} : { Cookie: this.#cookie }),
      ...(this.userId === 0 ? {} : { 'Tollgate-User': String(this.userId) }),
    };
  }

  /** Calls and keeps the cookie; the body is whatever JSON came. */
  async call(method: string, path: string, body?: unknown): Promise<WireAnswer> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...this.headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    this.#cookie = response.headers.get('set-cookie')?.split(';')[0] ?? this.#cookie;
    const text = await response.text();
    assert.match(response.headers.get('content-type') ?? '', 'application/json', `${method} ${path}: ${text}`);
    return { status: response.status, headers: response.headers, body: membersOf(JSON.parse(text)) };
  }

  /** The whole body of a call that succeeds with this message. */
  async succeed(
    method: string,
    path: string,
    body?: unknown,
    message: string | RegExp = '',
  ): Promise<Record<string, unknown>> {
    const answer = await this.call(method, path, body);
    const shown = `${method} ${path}: ${JSON.stringify(answer.body).slice(0, 300)}`;
    assert.is(answer.status, 200, shown);
    assert.is(answer.body.success, true, shown);
    assert.ok('data' in answer.body, shown);
    assert.not('code' in answer.body, shown);
    if (typeof message === 'string') assert.is(answer.body.message, message, shown);
    else assert.match(String(answer.body.message), message);
    return answer.body;
  }

  /** `data` of a call that succeeds with this message. */
  async data(method: string, path: string, body?: unknown, message: string | RegExp = ''): Promise<unknown> {
    return (await this.succeed(method, path, body, message)).data;
  }

  /** `data` of a call that succeeds, as an object. */
  async object(
    method: string,
    path: string,
    body?: unknown,
    message: string | RegExp = '',
  ): Promise<Record<string, unknown>> {
    return membersOf(await this.data(method, path, body, message));
  }

  /** `data` of a call that succeeds, as a list of objects. */
  async rows(method: string, path: string, body?: unknown): Promise<Record<string, unknown>[]> {
    return rowsOf(await this.data(method, path, body));
  }

  /** `data.items` of a page, whose other members are checked. */
  async page(path: string, expected: { page: number; page_size: number }): Promise<Record<string, unknown>[]> {
    const { items, total, page, page_size, ...rest } = await this.object('GET', path);
    assert.equal({ page, page_size, rest }, { ...expected, rest: {} }, path);
    assert.type(total, 'number');
    return rowsOf(items);
  }

  /** Code of a refusal, whose envelope is checked. */
  async refusal(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await this.call(method, path, body);
    assert.equal([answer.status, answer.body.success, typeof answer.body.message], [200, false, 'string'], path);
    return answer.body.code;
  }

  /** Signs in by password, as the form does. */
  async signIn(username: string, password: string): Promise<Record<string, unknown>> {
    this.userId = 0;
    const data = await this.object('POST', '/api/user/login?turnstile=', { username, password });
    this.userId = Number(data.id);
    return data;
  }
}

/** The value as an object; anything else fails the test. */
export function membersOf(value: unknown): Record<string, unknown> {
  assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), JSON.stringify(value));
  return { ...value };
}

/** The value as a list of objects. */
export function rowsOf(value: unknown): Record<string, unknown>[] {
  assert.ok(Array.isArray(value), JSON.stringify(value));
  return Array.isArray(value) ? value.map(membersOf) : [];
}

/** Asserts that an object has these members and maybe others. */
export function assertMembers(value: Record<string, unknown>, names: readonly string[]): void {
  const missing = names.filter((name) => !(name in value));
  assert.equal(missing, [], JSON.stringify(value).slice(0, 300));
}
