/** `open`: a page of the console in the browser, or its address where there is none. */
import type { Command } from 'commander';
import { openInBrowser } from '../browser.ts';
import { leaf, type Runtime } from '../command.ts';
import { usageError } from '../errors.ts';
import { both } from '../language.ts';

/** Path of each page by its word; a test holds them against the console's own table. */
export const consolePages: Readonly<Record<string, string>> = {
  home: '/',
  about: '/about',
  audit: '/audit',
  channel: '/channel',
  chat: '/chat',
  dashboard: '/detail',
  drawing: '/midjourney',
  log: '/log',
  order: '/order',
  personal: '/personal',
  playground: '/playground',
  pricing: '/pricing',
  redemption: '/redemption',
  reference: '/reference',
  setting: '/setting',
  system: '/system',
  task: '/task',
  token: '/token',
  user: '/user',
  wallet: '/topup',
};

/** Where one of many has an address of its own, by its id. */
export const consoleObjects: Readonly<Record<string, string>> = {
  channel: '/channel/edit/:id',
  chat: '/chat/:id',
  user: '/user/edit/:id',
};

/** Address of a page, or of one of many on it. Throws exit 3 for what is not there. */
export function consoleAddress(url: string, page: string, id = ''): string {
  return `${url.replace(/\/+$/, '')}${pathOf(page, id)}`;
}

/** Path of a page. Throws exit 3 for one that is not there. */
function pathOf(page: string, id: string): string {
  const path = consolePages[page];
  if (path === undefined) {
    const names = Object.keys(consolePages).join(', ');
    throw usageError(both(`no page ${page}; there are ${names}`, `没有页面 ${page}，可用：${names}`), {
      field: 'page',
    });
  }
  if (id === '') return path;
  const place = consoleObjects[page];
  if (place !== undefined && /^\d+$/.test(id)) return place.replace(':id', id);
  const names = Object.keys(consoleObjects).join(', ');
  throw usageError(both(`an id goes with ${names}`, `编号仅用于 ${names}`), { field: 'id' });
}

export function registerOpenCommand(program: Command, runtime: Runtime): void {
  leaf(
    program.command('open').argument('[place]').argument('[id]'),
    runtime,
    {
      summary: both('Open a page of the console in the browser', '在浏览器中打开控制台页面'),
      examples: ['open', 'open log', 'open channel 7'],
      prints: 'text',
    },
    async (context, [place, id]) => {
      const { url } = await context.target();
      const address = consoleAddress(url, String(place ?? '') || 'home', String(id ?? ''));
      if (context.terminal.interactive) openInBrowser(address);
      await context.printer.text(`${address}\n`);
    },
  );
}
