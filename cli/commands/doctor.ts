/** `doctor`: what is wrong with the server, one line a check. */
import type { Command } from 'commander';
import { leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { textOf } from '../flags.ts';
import { both } from '../language.ts';

interface Finding {
  check: string;
  result: 'ok' | 'warn' | 'fail';
  found: string;
  remedy: string;
}

type Client = Awaited<ReturnType<CommandContext['client']>>;
type Check = (client: Client, context: CommandContext) => Promise<Finding[]>;

const remedies: Readonly<Record<string, string>> = {
  mail_missing: 'tollgate option set SMTPServer …',
  server_address_missing: 'tollgate option set ServerAddress https://…',
  no_channel: 'tollgate channel create …',
  channels_disabled: 'tollgate channel test --all',
};

const checks: Readonly<Record<string, Check>> = {
  server: async (client) => {
    const status = await client.status.get();
    return [
      finding('server', 'ok', status.version),
      status.setup ? finding('setup', 'ok', 'done') : finding('setup', 'fail', 'not done', 'tollgate setup'),
    ];
  },
  system: async (client) => {
    const { database, warnings, nodes } = await client.system.get();
    return [
      finding('database', database.reachable ? 'ok' : 'fail', `${database.engine}, ${database.ms} ms`),
      finding(
        'nodes',
        nodes.some(({ alive }) => alive) ? 'ok' : 'fail',
        `${nodes.filter(({ alive }) => alive).length}`,
      ),
      ...warnings.map(({ code, message }) => finding(code, 'warn', message, remedies[code])),
    ];
  },
  upstreams: async (client) => {
    const { items } = await client.system.check();
    return items.map(({ address, reachable, status, ms, reason, channels }) =>
      finding(
        `upstream ${address}`,
        reachable ? 'ok' : 'fail',
        reachable ? `HTTP ${status}, ${ms} ms` : reason,
        reachable ? '' : `tollgate channel test ${channels.join(' ')}`,
      ),
    );
  },
  audit: async (client) => {
    const { intact, rows, first_broken: broken } = await client.audits.verify({});
    const found = intact ? `${rows} rows` : `broken at ${broken ?? 'its end'}`;
    return [finding('audit chain', intact ? 'ok' : 'fail', found, intact ? '' : 'tollgate audit verify')];
  },
};

function finding(check: string, result: Finding['result'], found: string, remedy = ''): Finding {
  return { check, result, found, remedy };
}

function chosen(flags: Readonly<Record<string, unknown>>): string[] {
  const named = (value: unknown) =>
    textOf(value)
      ?.split(',')
      .map((name) => name.trim()) ?? [];
  const only = named(flags.only);
  const skip = named(flags.skip);
  const unknown = [...only, ...skip].find((name) => !Object.hasOwn(checks, name));
  if (unknown !== undefined) {
    const known = Object.keys(checks).join(', ');
    throw usageError(both(`no check ${unknown}; there are ${known}`, `没有检查项 ${unknown}，可用：${known}`));
  }
  return Object.keys(checks).filter((name) => (only.length === 0 || only.includes(name)) && !skip.includes(name));
}

export function registerDoctorCommand(program: Command, runtime: Runtime): void {
  const say = (pair: { en: string; zh: string }) => pair[runtime.language];
  leaf(
    program
      .command('doctor')
      .option('--only <checks>', say(both('only these: server, system, upstreams, audit', '仅检查这些项')))
      .option('--skip <checks>', say(both('all but these', '跳过这些项')))
      .option('--strict', say(both('warnings end with 2 too', '警告也以 2 退出'))),
    runtime,
    {
      summary: both('Find what is wrong with the server', '检查服务器状态'),
      examples: ['doctor', 'doctor --only upstreams -o json'],
      calls: ['status.get', 'system.get', 'system.check', 'audits.verify'],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const names = chosen(flags);
      const findings: Finding[] = [];
      for (const name of names) findings.push(...((await checks[name]?.(client, context)) ?? []));
      await context.printer.list(findings, {
        columns: [
          { heading: 'RESULT', value: (row) => row.result, priority: 1 },
          { heading: 'CHECK', value: (row) => row.check, priority: 1 },
          { heading: 'FOUND', value: (row) => row.found, priority: 2 },
          { heading: 'REMEDY', value: (row) => row.remedy, priority: 3 },
        ],
        id: (row) => row.check,
      });
      const bad = findings.filter(({ result }) => result === 'fail' || (flags.strict === true && result === 'warn'));
      if (bad.length === 0) return;
      throw new CliError('check_failed', exitCodes.no, both(`${bad.length} checks failed`, `${bad.length} 项未通过`));
    },
  );
}
