/** Every refusal that a command can meet ends in a line that says what to do. */
import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CommandText, Runtime } from '../../../cli/command.ts';
import { exitCodeOf, exitCodes } from '../../../cli/exit-codes.ts';
import { namedBy, subjectsOf } from '../../../cli/hint-words.ts';
import { localCommandsThat } from '../../../cli/local-commands.ts';
import { hints } from '../../../cli/output/hints.ts';
import { buildProgram } from '../../../cli/program.ts';
import { reportFailure } from '../../../cli/report.ts';
import { ApiError } from '../../../daemon/contract/api-error.ts';
import { type ErrorCode, errorKind } from '../../../daemon/contract/error-codes.ts';
import { contract } from '../../../daemon/contract/index.ts';
import { endpointsOf } from '../../../daemon/contract/openapi.ts';
import { readSources } from '../../support/source-files.ts';

const advice = suite('advice for refusals');

/** Every command, and what their texts say of them. */
function allCommands(): { readonly program: Command; readonly texts: readonly CommandText[] } {
  const stream = new PassThrough();
  const texts: CommandText[] = [];
  const runtime: Omit<Runtime, 'texts' | 'manuals'> = {
    environment: {},
    host: { stdin: stream, stdout: stream, stderr: stream },
    signal: new AbortController().signal,
    local: localCommandsThat(() => Promise.reject(new Error('no command is run here'))),
    language: 'en',
    onCommand: (_command, text) => texts.push(text),
  };
  return { program: buildProgram(runtime), texts };
}

/** What commands call, by the names that the contract has for it. */
function calledByCommands(): ReadonlySet<string> {
  return new Set(allCommands().texts.flatMap(({ calls = [] }) => calls));
}

advice('has an entry for each code that commands meet, where the help of the command is not what is needed', () => {
  const called = calledByCommands();
  const missing = new Set<ErrorCode>();
  for (const { name, endpoint } of endpointsOf(contract)) {
    const ofKeys: readonly ErrorCode[] = endpoint.idempotency ? ['idempotency_conflict', 'idempotency_unanswered'] : [];
    for (const code of called.has(name) ? [...(endpoint.errors ?? []), ...ofKeys] : []) {
      const isInput = exitCodeOf(code, errorKind(code)) === exitCodes.usage;
      if (!isInput && hints[code] === undefined) missing.add(code);
    }
  }
  assert.equal([...missing].sort(), []);
});

advice('that is a command begins with the name of the program, as it is typed', () => {
  const { program } = allCommands();
  const isCommand = ([, first, second = '']: readonly string[]) => {
    const group = program.commands.find((command) => command.name() === first);
    return group !== undefined && (second.startsWith('--') || group.commands.some((each) => each.name() === second));
  };
  const sources = readSources().filter(({ path }) => path.startsWith('cli/'));
  assert.ok(sources.some(({ text }) => /hint: both\(\s*'tollgate price list'/.test(text)));
  const faults = sources
    .flatMap(({ text }) => [...text.matchAll(/\w+: both\(\s*['`]([a-z-]+) ([a-z-]+)/g)])
    .filter(isCommand)
    .map(([whole]) => whole);
  assert.equal(faults, []);
});

/** Failures that say themselves what is to be done, or after which there is nothing to do. */
const plain = new Set(
  'check_failed declined export_cut group_default interrupted local model_not_found partial'.split(' '),
);

advice('has an entry for each failure that the command line finds by itself', () => {
  const codes = readSources()
    .filter(({ path }) => path.startsWith('cli/'))
    .flatMap(({ text }) => [...text.matchAll(/new CliError\(\s*'([a-z_]+)'/g)].map(([, code = '']) => code));
  assert.ok(codes.includes('group_unknown'));
  // Of wrong words the help of the command says more.
  const missing = new Set(codes.filter((code) => code !== 'usage' && !plain.has(code) && hints[code] === undefined));
  assert.equal([...missing].sort(), []);
});

advice('names the help of the command for an input that was refused', async () => {
  const stderr = new PassThrough({ encoding: 'utf8' });
  const error = new ApiError({ code: 'token_name_long', message: 'The name is too long', status: 200 });
  const context = { command: 'token create', url: undefined, debug: false, machine: false, colour: false, stderr };
  assert.is(await reportFailure(error, { ...context, language: 'en' }), exitCodes.usage);
  assert.is(stderr.read(), 'error: The name is too long (token_name_long)\n  try: tollgate token create --help\n');
  await reportFailure(error, { ...context, language: 'zh' });
  assert.match(stderr.read(), /可尝试：tollgate token create --help\n$/);
});

advice('shows nothing that a terminal obeys, whatever a strange server calls its failure', async () => {
  const stderr = new PassThrough({ encoding: 'utf8' });
  const word = '\u001b]0;title\u0007\u001b[31mred\u009b5m\u202etxt';
  const error = new ApiError({ code: word, message: word, status: 400, field: word, requestId: word });
  const context = {
    command: 'token list',
    url: undefined,
    debug: true,
    colour: false,
    stderr,
    language: 'en',
  } as const;
  for (const machine of [false, true]) {
    await reportFailure(error, { ...context, machine });
    const told = String(stderr.read());
    assert.match(told, 'txt');
    assert.not.match(told.replaceAll('\n', ''), /[\p{Cc}\p{Bidi_Control}]/u);
    if (machine) assert.is(JSON.parse(told).error.code, word, 'in JSON it is all there, but escaped');
  }
});

advice('names the very thing that the command was asked about', async () => {
  const command = new Command('get').argument('<channel>').argument('[key...]');
  const { named } = subjectsOf(command, ['openai main', ['7', '8']]);
  assert.equal(named, { channel: 'openai main' }, 'of several none is meant');
  const stderr = new PassThrough({ encoding: 'utf8' });
  const context = {
    url: undefined,
    debug: false,
    machine: false,
    colour: false,
    stderr,
    language: 'en',
    named,
  } as const;
  const told = async (code: string, field?: string) => {
    const error = new ApiError({ code, message: 'No', status: 200, field });
    await reportFailure(error, { ...context, command: 'channel key remove' });
    return String(stderr.read()).split('\n').at(-2);
  };
  assert.is(await told('channel_key_not_found'), "  try: tollgate channel key list 'openai main'");
  assert.is(await told('option_invalid', 'RetryTimes'), '  try: tollgate option get RetryTimes shows type and default');
  assert.is(await told('order_completed'), '  try: tollgate order get TRADE_NO', 'what is not known stays open');
  const quota = new Command('add').argument('<user-and-money...>');
  assert.equal(subjectsOf(quota, [['alice', '5usd']]), { named: { user: 'alice' }, item: 'user' });
  assert.equal(namedBy(subjectsOf(quota, [['alice', 'bob', '5usd']]), 'bob'), { user: 'bob' });
});

advice('sends an administrator who is refused to root, not to sign in as what they are', () => {
  assert.match(hints.forbidden_role?.en ?? '', /or as root/);
  assert.match(hints.forbidden_role?.zh ?? '', /超级管理员/);
});

advice.run();
