/** Every refusal that a command can meet ends in a line that says what to do. */
import { PassThrough } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CommandText, Runtime } from '../../../cli/command.ts';
import { exitCodeOf, exitCodes } from '../../../cli/exit-codes.ts';
import { localCommandsThat } from '../../../cli/local-commands.ts';
import { hints } from '../../../cli/output/hints.ts';
import { buildProgram } from '../../../cli/program.ts';
import { reportFailure } from '../../../cli/report.ts';
import { ApiError } from '../../../daemon/contract/api-error.ts';
import { type ErrorCode, errorKind } from '../../../daemon/contract/error-codes.ts';
import { contract } from '../../../daemon/contract/index.ts';
import { endpointsOf } from '../../../daemon/contract/openapi.ts';

const advice = suite('advice for refusals');

/** What commands call, by the names that the contract has for it. */
function calledByCommands(): ReadonlySet<string> {
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
  buildProgram(runtime);
  return new Set(texts.flatMap(({ calls = [] }) => calls));
}

advice('has an entry for each code that commands meet, where the help of the command is not what is needed', () => {
  const called = calledByCommands();
  const missing = new Set<ErrorCode>();
  for (const { name, endpoint } of endpointsOf(contract)) {
    for (const code of called.has(name) ? (endpoint.errors ?? []) : []) {
      const isInput = exitCodeOf(code, errorKind(code)) === exitCodes.usage;
      if (!isInput && hints[code] === undefined) missing.add(code);
    }
  }
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

advice.run();
