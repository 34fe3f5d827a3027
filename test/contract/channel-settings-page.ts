/**
 * Writes docs/channel-settings.md from the table of the contract: `node --import tsx test/contract/channel-settings-page.ts`.
 * The page is checked by `channel-settings.test.ts`, so that it never tells what is no longer so.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ChannelSetting, channelSettings } from '../../daemon/contract/channel-settings.ts';
import { findChannelType } from '../../daemon/contract/channel-types.ts';

export const pagePath = fileURLToPath(new URL('../../docs/channel-settings.md', import.meta.url));

const forms: Readonly<Record<ChannelSetting['form'], string>> = {
  boolean: 'true or false',
  seconds: 'seconds',
  ratio: 'a number from 0 to 1000000',
  text: 'text',
  word: 'one word',
  choice: 'a choice',
  list: 'list of texts',
  object: 'object',
  arns: 'object of ARNs',
  proxy: 'address',
};

function row({ key, form, label, help, types = [], choices = [] }: ChannelSetting): string {
  const values = form === 'choice' ? choices.filter((one) => one !== '').join(', ') : forms[form];
  const where = types.map((type) => findChannelType(type)?.label.en ?? type).join(', ');
  // Angle brackets would be tags of the page.
  const shown = (wording: string) => wording.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `| \`${key}\` | ${values} | ${where === '' ? 'all' : where} | ${shown(`${label.en}: ${help.en}`)} | ${shown(`${label.zh}：${help.zh}`)} |`;
}

export function renderSettingsPage(): string {
  return [
    '# Settings of a channel',
    '',
    'The field `setting` of a channel is a JSON object. The members below have a meaning; others are kept and ignored. A value of the wrong form is refused when the channel is saved, and `field` names the member.',
    '',
    'In the console they are fields of the channel editor. On the command line `tollgate channel edit NAME --setting \'{"timeout_idle": 60}\'` replaces the whole object; `tollgate help channel-settings` lists the members.',
    '',
    'Written by `node --import tsx test/contract/channel-settings-page.ts` from `daemon/contract/channel-settings.ts`.',
    '',
    '| member | values | channels | meaning | 说明 |',
    '| --- | --- | --- | --- | --- |',
    ...channelSettings.map(row),
    '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(pagePath, renderSettingsPage());
