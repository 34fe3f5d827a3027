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

/** `name: value` lines of an object of texts; a text as it stands; undefined for what is more than that. */
export function objectLines(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const rows = rowsOfMapping(JSON.stringify(value ?? {}));
  return rows?.map(({ from, to }) => `${from}: ${to}`).join('\n');
}

const headerLine = /^([^:]+):(.*)$/;
/** Ids of models have colons of their own. */
const arnLine = /^(.+?):\s*(arn:.*)$/;

/** The object that the lines say; the text itself, which no setting takes, while one of them says nothing or says it again. */
export function objectOfLines(text: string, form: 'object' | 'arns'): Readonly<Record<string, unknown>> | string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const rows = lines.flatMap((line) => {
    const [, from = '', to = ''] = (form === 'arns' ? arnLine : headerLine).exec(line.trim()) ?? [];
    return from.trim() === '' ? [] : [{ from: from.trim(), to }];
  });
  const names = new Set(rows.map(({ from }) => from));
  return names.size < lines.length ? text : (parseObject(mappingText(rows)) ?? {});
}

/** What a number field holds: the number, or what cannot be one yet. */
export function numberOf(typed: number | string): number | string {
  return typed === '' || !Number.isFinite(Number(typed)) ? typed : Number(typed);
}
