/** `api`: any call of the management API, for what has no command yet and for scripts. */
import type { Command } from 'commander';
import { leaf, type Runtime } from '../command.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodeOf, exitCodes } from '../exit-codes.ts';
import { fetchFor } from '../fetch.ts';
import { collect } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { version } from '../version.ts';

const anyView: View<unknown> = {
  columns: [{ heading: 'VALUE', value: (row) => (typeof row === 'object' ? JSON.stringify(row) : String(row)) }],
  id: String,
  verbatim: true,
};

/** `k=v` with numbers, booleans and null read as such. */
function typed(text: string): [string, unknown] {
  const at = text.indexOf('=');
  if (at <= 0) throw usageError(both(`${text} is not name=value`, `${text} 不是 name=value`), { field: '--field' });
  const value = text.slice(at + 1);
  if (/^(true|false|null|-?\d+(\.\d+)?)$/.test(value)) return [text.slice(0, at), JSON.parse(value)];
  return [text.slice(0, at), value];
}

function plain(text: string): [string, unknown] {
  const at = text.indexOf('=');
  if (at <= 0) throw usageError(both(`${text} is not name=value`, `${text} 不是 name=value`), { field: '--text' });
  return [text.slice(0, at), text.slice(at + 1)];
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

interface Envelope {
  success?: boolean;
  message?: string;
  code?: string;
  data?: unknown;
}

function isEnvelope(value: unknown): value is Envelope {
  return typeof value === 'object' && value !== null;
}

export function registerApiCommand(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    program
      .command('api')
      .argument('[method]')
      .argument('[path]')
      .option(
        '-f, --field <name=value>',
        say(both('member of the body or query; numbers and booleans are typed', '请求成员，自动识别数字与布尔值')),
        collect,
      )
      .option('-F, --text <name=value>', say(both('the same, always text', '同上，始终为文本')), collect)
      .option('--input <file>', say(both('whole body: @file, - or JSON', '完整请求体：@文件、- 或 JSON')))
      .option('--spec', say(both('print the OpenAPI document instead', '输出 OpenAPI 文档'))),
    runtime,
    {
      summary: both('Make any call and print its data', '发起任意调用并输出 data'),
      examples: [
        "api GET /api/user/models --jq '.[]'",
        'api PUT /api/option/ -F key=RetryTimes -F value=2',
        'api GET /api/user/self --raw',
        'api --spec --out openapi.json',
      ],
      prints: () => anyView,
      calls: ['reference.openapi'],
      callsAny: true,
    },
    async (context, [methodArg, pathArg], flags) => {
      if (flags.spec === true) {
        const document = await (await context.client()).reference.openapi();
        return context.printer.text(`${JSON.stringify(document, null, 2)}\n`);
      }
      const method = String(methodArg).toUpperCase();
      const path = String(pathArg);
      if (path === '') throw usageError(both('name a method and a path', '请指定方法与路径'), { field: 'path' });
      if (!path.startsWith('/')) throw usageError(both('the path starts with /', '路径须以 / 开头'), { field: 'path' });
      if (flags.json) {
        const { answerFields } = await import('../answer-fields.ts');
        await context.printer.check({ columns: anyView.columns, fields: answerFields(method, path) });
      }
      const target = await context.target();
      if (target.token !== undefined) await context.refusePlain(target.url);
      const members = Object.fromEntries([...strings(flags.field).map(typed), ...strings(flags.text).map(plain)]);
      const input = typeof flags.input === 'string' ? await context.value(flags.input, '--input') : undefined;
      const inQuery = method === 'GET' || method === 'DELETE';
      const url = new URL(target.url + path);
      if (inQuery) for (const [name, value] of Object.entries(members)) url.searchParams.set(name, String(value));
      const body = input ?? (inQuery || Object.keys(members).length === 0 ? undefined : JSON.stringify(members));
      if (method !== 'GET' && method !== 'HEAD') {
        await context.beforeWrite({ method, path: `${url.pathname}${url.search}`, body });
      }
      const call = await fetchFor({
        environment: context.environment,
        caFile: target.settings.ca_file,
        signal: context.signal,
        beforeCall: await context.readingOnly(),
      });
      const waited = await context.startWaiting();
      const response = await call(url.href, {
        method,
        headers: {
          'user-agent': `tollgate-cli/${version}`,
          'accept-language': context.language,
          ...(target.token === undefined ? {} : { authorization: target.token }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(method === 'POST' ? { 'idempotency-key': context.repetition.key } : {}),
        },
        ...(body === undefined ? {} : { body }),
      }).catch((cause: unknown) => {
        if (cause instanceof CliError) throw cause;
        throw new CliError(
          'not_reached',
          exitCodes.unavailable,
          both(`${target.url} was not reached`, `无法连接 ${target.url}`),
          { cause },
        );
      });
      const text = await response.text();
      waited();
      if (flags.raw === true) {
        await context.printer.text(text.endsWith('\n') ? text : `${text}\n`);
        if (!response.ok) context.endWith(exitCodes.failed);
        return;
      }
      let answer: unknown = text;
      try {
        answer = JSON.parse(text);
      } catch {
        // Not every answer of the API is JSON; a text is printed as it is.
      }
      if (!isEnvelope(answer)) {
        await context.printer.text(text);
        return;
      }
      if (answer.success === false || !response.ok) {
        const code = answer.code ?? `http_${response.status}`;
        const message = answer.message ?? text.slice(0, 200);
        const { errorKind, isErrorCode } = await import('../../daemon/contract/error-codes.ts');
        throw new CliError(
          code,
          exitCodeOf(code, isErrorCode(code) ? errorKind(code) : undefined),
          both(message, message),
        );
      }
      const data = 'data' in answer ? answer.data : answer;
      const printer = context.printerOf(flags.output === undefined ? { ...flags, output: 'json' } : flags);
      if (Array.isArray(data)) await printer.list(data, anyView);
      else await printer.one(data, anyView);
    },
  );
}
