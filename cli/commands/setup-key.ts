/** The last steps of `setup`: a relay key with the lines to put it to use, and a first question. */
import { ask, rowOf, sumUp, textsOf } from '../chat-call.ts';
import type { Flags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { textOf } from '../flags.ts';
import { parseMoney } from '../input/money.ts';
import { type Bilingual, both } from '../language.ts';
import { askText } from './setup-prompts.ts';
import { tokenFields } from './token-fields.ts';

export interface FirstKey {
  /** With `sk-`. */
  readonly secret: string;
  readonly isNew: boolean;
}

/**
 * Makes the first relay key, where there is none or the flags name one; undefined where there is none to use.
 *
 * @param model stands in the lines that show its use
 */
export async function firstKey(context: CommandContext, flags: Flags, model = 'MODEL'): Promise<FirstKey | undefined> {
  const client = await context.client();
  const named = textOf(flags.tokenName);
  const [there] = (await client.tokens.list({ page: 1, page_size: 1 })).items;
  if (there !== undefined && named === undefined) {
    const { key } = await client.tokens.revealKey({ id: there.id });
    return { secret: `sk-${key}`, isNew: false };
  }
  if (flags.token === false || (named === undefined && !context.terminal.interactive)) return undefined;
  const name =
    named ?? (await askText(context, both('Name of a first relay key', '首个令牌的名称'), { initial: 'first' }));
  const quota = textOf(flags.quota) ?? (named === undefined ? await askQuota(context) : 'unlimited');
  const fields = await tokenFields(context, { name, quota });
  const { key } = await client.tokens.create({ expired_time: -1, ...fields });
  const secret = `sk-${key}`;
  context.done(both(`relay key ${name} is made`, `已创建令牌 ${name}`));
  const { url } = await context.target();
  for (const line of usageLines(url, secret, model)) context.note(line);
  return { secret, isNew: true };
}

async function askQuota(context: CommandContext): Promise<string> {
  const { quotaPerUnit } = await context.site();
  return askText(context, both('Its quota: 5usd, or unlimited', '额度：5usd 或 unlimited'), {
    initial: 'unlimited',
    check: (typed) => quotaComplaint(typed, quotaPerUnit),
  });
}

function quotaComplaint(typed: string, quotaPerUnit: number): Bilingual | undefined {
  if (typed.trim() === 'unlimited') return undefined;
  try {
    parseMoney(typed, quotaPerUnit, '--quota');
    return undefined;
  } catch (error) {
    if (error instanceof CliError) return error.text;
    throw error;
  }
}

/** How clients use the key. */
function usageLines(url: string, key: string, model: string): readonly string[] {
  return [
    '',
    '  curl',
    `    curl ${url}/v1/chat/completions -H 'Authorization: Bearer ${key}' \\`,
    `      -H 'Content-Type: application/json' -d '{"model":"${model}","messages":[{"role":"user","content":"hi"}]}'`,
    '  OpenAI SDK',
    `    OPENAI_BASE_URL=${url}/v1 OPENAI_API_KEY=${key}`,
    '  Claude Code',
    `    ANTHROPIC_BASE_URL=${url} ANTHROPIC_AUTH_TOKEN=${key}`,
    '',
  ];
}

/** Throws exit 3 for a question that no relay key could be asked with, before anything is made. */
export function refuseQuestionWithoutKey(context: CommandContext, flags: Flags, hasKeys: boolean): void {
  const isMade = flags.token !== false && (textOf(flags.tokenName) !== undefined || context.terminal.interactive);
  if (textOf(flags.ask) === undefined || hasKeys || isMade) return;
  throw usageError(both('--ask needs a relay key, and there is none', '--ask 需要令牌，但尚无令牌'), {
    field: '--ask',
    hint: both('add --token-name NAME', '请加上 --token-name 名称'),
  });
}

/** Asks a model once and shows what it cost; false where nothing was asked. */
export async function firstQuestion(
  context: CommandContext,
  flags: Flags,
  { key, model: usual }: { readonly key: FirstKey | undefined; readonly model: string | undefined },
): Promise<boolean> {
  const model = textOf(flags.model) ?? usual;
  const given = textOf(flags.ask);
  if (given !== undefined && model === undefined) {
    context.note(context.say(both('nothing was asked: no channel serves a model', '未提问：没有渠道提供模型')));
  }
  if (key === undefined || model === undefined || flags.ask === false) return false;
  if (given === undefined && !context.terminal.interactive) return false;
  const question =
    given ?? (await askText(context, both(`A question for ${model}; empty for none`, `向 ${model} 提问，留空跳过`)));
  if (question === '') return false;
  const open = await ask(context, {
    key: key.secret,
    wishes: { model, maxTokens: undefined, temperature: undefined, delivery: 'streamed', format: 'chat' },
    messages: [{ role: 'user', content: question }],
  });
  let text = '';
  for await (const part of textsOf(open)) text += part;
  context.note(text.trimEnd());
  await sumUp(context, await rowOf(context, key.secret, open));
  context.note(
    context.say(
      both(
        'Next: tollgate (the screens), tollgate chat, tollgate log list',
        '接下来：tollgate（终端界面）、tollgate chat、tollgate log list',
      ),
    ),
  );
  return true;
}
