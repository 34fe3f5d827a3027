/** `option`: runtime options, by key. */
import type { Command } from 'commander';
import { group, leaf, type Runtime } from '../command.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { expectAmong, textOf, wordFlag } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import { cut } from '../output/table.ts';
import { confirmOptions } from './option-confirm.ts';
import { discoverEndpoints, registerOptionEdit } from './option-edit.ts';
import { allOptions, type OptionRow, optionView, printOptions } from './option-rows.ts';
import { refuseNoSecret } from './option-secret.ts';

/** Rows whose key or label, in either language, contains the text. */
async function searched(rows: readonly OptionRow[], text: string): Promise<OptionRow[]> {
  const { isOptionKey, optionTable } = await import('../../daemon/contract/options.ts');
  const wanted = text.toLowerCase();
  return rows.filter(({ key }) => {
    const label = isOptionKey(key) ? optionTable[key].label : { en: '', zh: '' };
    return [key, label.en, label.zh].some((words) => words.toLowerCase().includes(wanted));
  });
}

/** `KEY=VALUE …` or `KEY VALUE`, in the order given. */
function pairs(words: readonly string[]): [string, string][] {
  const [first, second] = words;
  if (words.length === 2 && first !== undefined && second !== undefined && !first.includes('='))
    return [[first, second]];
  return words.map((word) => {
    const at = word.indexOf('=');
    if (at <= 0) throw usageError(both(`${word} is not KEY=VALUE`, `${word} 不是 KEY=VALUE`), { field: 'KEY' });
    return [word.slice(0, at), word.slice(at + 1)];
  });
}

export function registerOptionCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const option = group(program, runtime, 'option', both('Runtime options', '运行时选项'));

  leaf(
    option
      .command('list')
      .alias('ls')
      .option('--section <name>', say(both('of this section', '指定分区')))
      .option('--changed', say(both('only values that differ from the default', '仅列出与默认值不同的选项')))
      .addOption(wordFlag('--class <class>', say(both('who may change it', '可修改者')), ['admin', 'root']))
      .option('--search <text>', say(both('part of the key', '键名中的文字'))),
    runtime,
    {
      summary: both('List options', '列出选项'),
      examples: ['option list --changed'],
      prints: () => optionView,
      orders: [],
      calls: ['options.list'],
    },
    async (context, _args, flags) => {
      const all = await allOptions(context);
      expectAmong(textOf(flags.section), [...new Set(all.map(({ section }) => section))], '--section');
      expectAmong(textOf(flags.class), [...new Set(all.map((row) => row.class))], '--class');
      const search = textOf(flags.search)?.toLowerCase();
      const rows = all.filter(
        (row) =>
          (flags.section === undefined || row.section === flags.section) &&
          (flags.class === undefined || row.class === flags.class) &&
          (flags.changed !== true || row.changed) &&
          (search === undefined || row.key.toLowerCase().includes(search)),
      );
      await context.printer.list(rows, optionView);
    },
  );

  leaf(
    option.command('search').argument('<text>'),
    runtime,
    {
      summary: both('Find options by key or label', '按键名或名称查找选项'),
      examples: ['option search retry'],
      prints: () => optionView,
      orders: [],
      calls: ['options.list'],
    },
    async (context, [text]) => {
      await context.printer.list(await searched(await allOptions(context), String(text)), optionView);
    },
  );

  leaf(
    option.command('get').alias('show').argument('<key>'),
    runtime,
    {
      summary: both('Show one option; -q prints the value alone', '查看选项；-q 仅输出值'),
      examples: ['option get RetryTimes', 'option get RetryTimes -q'],
      prints: () => optionView,
      calls: ['options.list'],
    },
    async (context, [key]) => {
      const row = (await allOptions(context)).find((each) => each.key === key);
      if (row === undefined)
        throw new CliError('option_unknown', exitCodes.notFound, both(`no option ${key}`, `没有选项 ${key}`));
      await context.printer.one(row, { ...optionView, id: (each) => each.value });
    },
  );

  leaf(
    option
      .command('set')
      .argument('<key-value...>')
      .option(
        '--discover',
        say(both('with oidc.well_known: set the endpoints it names', '配合 oidc.well_known 自动填写端点')),
      ),
    runtime,
    {
      summary: both('Set options: KEY VALUE, or KEY=VALUE several times', '设置选项：KEY VALUE，或多个 KEY=VALUE'),
      examples: [
        'option set RetryTimes 2',
        'option set GroupRatio @groups.json',
        'option set SMTPToken env:SMTP_TOKEN',
      ],
      prints: () => optionView,
      calls: ['options.set', 'options.list'],
    },
    async (context, [words], flags) => {
      const client = await context.client();
      const { isOptionKey, optionTable } = await import('../../daemon/contract/options.ts');
      const entryOf = (key: string) => (isOptionKey(key) ? optionTable[key] : undefined);
      const wanted = pairs(Array.isArray(words) ? words : [String(words)]);
      await confirmOptions(
        context,
        wanted.map(([key]) => key),
      );
      // All are read before the first is sent: a file or variable that is missing changes nothing.
      const values: { key: string; value: string; shown: string }[] = [];
      for (const [key, given] of wanted) {
        const isSecret = entryOf(key)?.secret === true;
        const value = isSecret ? await context.secret(given, key) : await context.value(given, key);
        if (isSecret) refuseNoSecret(key, value);
        values.push({ key, value, shown: isSecret ? '***' : cut(value.replace(/\s+/g, ' '), 200) });
      }
      const saved: string[] = [];
      // One after another: an `…Enabled` switch may depend on the key before it.
      for (const { key, value, shown } of values) {
        const answer = await client.options.set({ key, value }).catch((error: unknown) => {
          if (saved.length > 0)
            context.note(
              context.say(both(`saved before the refusal: ${saved.join(', ')}`, `拒绝前已保存：${saved.join('、')}`)),
            );
          throw error;
        });
        saved.push(key);
        if (answer.message !== '') context.note(answer.message);
        context.done(both(`${key} = ${shown}`, `${key} = ${shown}`));
        if (flags.discover === true && key === 'oidc.well_known')
          saved.push(...(await discoverEndpoints(context, value)));
      }
      await printOptions(context, saved);
    },
  );

  registerOptionEdit(option, runtime);

  leaf(
    option.command('unset').argument('<key>'),
    runtime,
    {
      summary: both('Put an option back to its default, or clear a secret', '恢复默认值或清除密钥'),
      examples: ['option unset RetryTimes'],
      prints: () => optionView,
      calls: ['options.set', 'options.list'],
    },
    async (context, [key]) => {
      await confirmOptions(context, [String(key)]);
      await (await context.client()).options.set({ key: String(key), value: null });
      context.done(both(`${key} is back to its default`, `${key} 已恢复默认值`));
      await printOptions(context, [String(key)]);
    },
  );
}
