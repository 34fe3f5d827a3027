/** `page`: the texts of the site's own pages. */
import { Argument, type Command } from 'commander';
import type { Client } from '../../daemon/contract/client.ts';
import { group, leaf, type Runtime } from '../command.ts';
import { usageError } from '../errors.ts';
import { both } from '../language.ts';
import { optionView, printOptions } from './option-rows.ts';

interface SitePage {
  readonly option: string;
  read(client: Client): Promise<string>;
}

const pages: Readonly<Record<string, SitePage>> = {
  notice: { option: 'Notice', read: (client) => client.pageContent.notice() },
  about: { option: 'About', read: (client) => client.pageContent.about() },
  home: { option: 'HomePageContent', read: (client) => client.pageContent.home() },
  footer: { option: 'Footer', read: async (client) => (await client.status.get()).footer_html },
};

function pageOf(name: string): SitePage {
  const page = Object.hasOwn(pages, name) ? pages[name] : undefined;
  if (page) return page;
  const known = Object.keys(pages).join(', ');
  throw usageError(both(`no page ${name}; there are ${known}`, `没有页面 ${name}；可用：${known}`), { field: 'PAGE' });
}

/** The page by its word; which one is none, `pageOf` says. */
function pageArgument(): Argument {
  const argument = new Argument('<page>');
  argument.argChoices = Object.keys(pages);
  return argument;
}

export function registerPageCommands(program: Command, runtime: Runtime): void {
  const page = group(program, runtime, 'page', both('Notice, about, home page and footer', '公告、关于、首页与页脚'));

  leaf(
    page.command('get').alias('show').addArgument(pageArgument()),
    runtime,
    {
      summary: both('Print a page as it was written', '输出页面原文'),
      examples: ['page get notice > notice.md'],
      prints: 'text',
      calls: ['pageContent.notice', 'pageContent.about', 'pageContent.home', 'status.get'],
    },
    async (context, [name]) => {
      const { read } = pageOf(String(name));
      const text = await read(await context.client());
      await context.printer.text(text === '' || text.endsWith('\n') ? text : `${text}\n`);
    },
  );

  leaf(
    page.command('set').addArgument(pageArgument()).argument('<text>'),
    runtime,
    {
      summary: both('Write a page; @file and - read the text', '写入页面；可用 @文件 或 -'),
      examples: ['page set notice @notice.md', 'page set footer ""'],
      prints: () => optionView,
      calls: ['options.set', 'options.list'],
    },
    async (context, [name, given]) => {
      const { option } = pageOf(String(name));
      const value = await context.value(String(given), 'TEXT');
      const answer = await (await context.client()).options.set({ key: option, value });
      if (answer.message !== '') context.note(answer.message);
      context.done(
        both('{name} is written, {count} {count:character|characters}', '已写入 {name}，共 {count} 个字符', {
          name: String(name),
          count: value.length,
        }),
      );
      await printOptions(context, [option]);
    },
  );
}
