/** Values of a channel's extra settings: what one starts with, and between a text field and its list or object. */
import type { ChannelSetting } from '../../../daemon/contract/channel-settings.ts';
import { mappingText, parseObject, rowsOfMapping } from '../../components/mapping-rows.ts';
import { namesIn } from '../../components/model-options.ts';

/** What a setting says when it is added. */
export function firstValueOf({ form, choices = [] }: ChannelSetting): unknown {
  switch (form) {
    case 'boolean':
      return true;
    case 'seconds':
      return 60;
    case 'ratio':
      return 1;
    case 'list':
      return [];
    case 'object':
    case 'arns':
      return {};
    case 'choice':
      return choices.find((choice) => choice !== '') ?? '';
    default:
      return '';
  }
}

/** The text of the column: "" where nothing is set. */
export function settingText(members: Readonly<Record<string, unknown>>): string {
  return Object.keys(members).length === 0 ? '' : JSON.stringify(members, null, 2);
}

/** A list as it stands in a text field. */
export function listText(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : '';
}

export function listOf(text: string): string[] {
  return namesIn(text);
}

/** `name: value` lines of an object of texts; undefined for one that is more than that. */
export function objectLines(value: unknown): string | undefined {
  const rows = rowsOfMapping(JSON.stringify(value ?? {}));
  return rows?.map(({ from, to }) => `${from}: ${to}`).join('\n');
}

/** Lines without a colon are left out until they have one. */
export function objectOfLines(text: string): Readonly<Record<string, unknown>> {
  const rows = text.split('\n').flatMap((line) => {
    const at = line.indexOf(':');
    return at > 0 ? [{ from: line.slice(0, at), to: line.slice(at + 1) }] : [];
  });
  return parseObject(mappingText(rows)) ?? {};
}
