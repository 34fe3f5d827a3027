/** `chat`: tries a relay key with one question, or talks with a model in a prompt loop. */
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { type Command, Option } from 'commander';
import { decoded } from '../chat-answer.ts';
import { ask, type ChatRow, type ChatWishes, rowOf, sumUp, textsOf } from '../chat-call.ts';
import { type ChatImage, type ChatMessage, chatFormats } from '../chat-dialects.ts';
import { type Flags, leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { notRead, usageError } from '../errors.ts';
import { collect, textOf, wordsOf } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { tokenCalls } from '../own-tokens.ts';
import { changeProfiles, configFolder } from '../profile.ts';
import { relayKeyOf, relayKeyOfGroup } from '../relay-key.ts';

const chatView: View<ChatRow> = {
  columns: [
    { heading: 'TEXT', value: (row) => row.text },
    { heading: 'MODEL', value: (row) => row.model },
    { heading: 'CHARGE', value: (row) => row.charge, align: 'right' },
  ],
  fields: ['text', 'model', 'usage', 'charge', 'request_id', 'ms', 'first_ms'],
  id: (row) => row.text,
};

function numberOf(value: unknown, field: string): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isFinite(number) && number >= 0 && value !== '') return number;
  throw usageError(both(`${field} takes a number`, `${field} 须为数字`), { field });
}

/** The words, with what stands in a pipe behind them; "" for nothing. */
async function promptOf(context: CommandContext, words: readonly string[], flags: Flags): Promise<string> {
  const isPiped = !context.terminal.stdin && flags.key !== '-';
  const piped = isPiped ? (await context.value('-', 'prompt')).trimEnd() : '';
  return [words.join(' '), piped].filter((part) => part !== '').join('\n\n');
}

async function wishesOf(context: CommandContext, flags: Flags): Promise<ChatWishes> {
  const { settings } = await context.target();
  const model = textOf(flags.model) ?? settings.chat_model;
  if (model === undefined) throw usageError(both('--model is needed', '需要 --model'), { field: '--model' });
  return {
    model,
    maxTokens: numberOf(flags.maxTokens, '--max-tokens'),
    temperature: numberOf(flags.temperature, '--temperature'),
    delivery: flags.stream === false ? 'whole' : 'streamed',
    format: chatFormats.find((name) => name === flags.format) ?? 'chat',
  };
}

const imageTypes: Readonly<Record<string, string>> = {
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
};
const largestImage = 20 * 1024 * 1024;

/** Reads the pictures. Throws exit 3 for another kind of file or one that is too large, 12 for one that cannot be read. */
async function imagesOf(files: readonly string[]): Promise<ChatImage[]> {
  return Promise.all(
    files.map(async (file) => {
      const mime = imageTypes[extname(file).toLowerCase()];
      const known = Object.keys(imageTypes).join(', ');
      if (mime === undefined) {
        throw usageError(both(`${file} is none of ${known}`, `${file} 不是 ${known} 文件`), { field: '--image' });
      }
      const bytes = await readFile(file).catch((cause: unknown) => {
        throw notRead(file, { field: '--image', cause });
      });
      if (bytes.length > largestImage) {
        throw usageError(both(`${file} is larger than 20 MB`, `${file} 超过 20 MB`), { field: '--image' });
      }
      return { mime, base64: bytes.toString('base64') };
    }),
  );
}

/** Keeps the model in the profile, so that it need not be named again; scripts change nothing that is kept. */
async function rememberModel(context: CommandContext, model: string): Promise<void> {
  const { profile: name, settings } = await context.target();
  if (name === undefined || settings.chat_model === model) return;
  if (settings.chat_model !== undefined && !context.terminal.interactive) return;
  await changeProfiles(configFolder(context.environment), (file) => {
    const profile = file.profiles[name];
    if (profile === undefined) return file;
    return { ...file, profiles: { ...file.profiles, [name]: { ...profile, chat_model: model } } };
  });
}

/** The key that the flags name: by itself, or by the group it is billed by. */
function keyOf(context: CommandContext, flags: Flags, model: string): Promise<string> {
  const [group, source, own] = [textOf(flags.group), textOf(flags.key), textOf(flags.token)];
  if (group === undefined) return relayKeyOf(context, { source, own });
  if (source === undefined && own === undefined) return relayKeyOfGroup(context, { group, model });
  throw usageError(both('--group chooses an own token by itself', '--group 会自行选择本人的令牌'), {
    field: '--group',
    hint: both('leave --token and --key out', '请去掉 --token 与 --key'),
  });
}

async function chat(context: CommandContext, words: readonly string[], flags: Flags): Promise<void> {
  const wishes = await wishesOf(context, flags);
  const key = await keyOf(context, flags, wishes.model);
  const prompt = await promptOf(context, words, flags);
  const system = textOf(flags.system);
  const images = await imagesOf(Array.isArray(flags.image) ? flags.image.map(String) : []);
  const isShownAsItComes = !['json', 'ndjson', 'yaml'].includes(context.printer.format);
  if (prompt === '') {
    const isConversation = flags.raw !== true && flags.out === undefined && flags.unsent !== true;
    const isLoop = context.terminal.interactive && isShownAsItComes && isConversation;
    if (!isLoop) {
      throw usageError(both('nothing to ask', '没有要提的问题'), {
        hint: both('tollgate chat --model gpt-4o "Say hi"', 'tollgate chat --model gpt-4o "你好"'),
      });
    }
    const { ChatLoop } = await import('../chat-loop.ts');
    return new ChatLoop({
      context,
      key,
      wishes,
      system,
      images,
      onModel: (model) => rememberModel(context, model),
    }).run();
  }
  const messages: ChatMessage[] = [
    ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
    { role: 'user', content: prompt, ...(images.length === 0 ? {} : { images }) },
  ];
  const open = await ask(context, { key, wishes, messages });
  if (flags.raw === true) return context.printer.stream(decoded(open.response));
  try {
    if (isShownAsItComes) await context.printer.stream(textsOf(open));
    else for await (const _text of textsOf(open));
  } catch (error) {
    // What broke off on the screen has no line end; what failed is told on a line of its own.
    if (isShownAsItComes && context.terminal.stdout && open.answer.text !== '') context.host.stderr.write('\n');
    throw error;
  }
  const row = await rowOf(context, key, open);
  if (isShownAsItComes) await sumUp(context, row);
  else await context.printer.one(row, chatView);
  // Behind the answer, which is paid for: a folder that cannot be written to must not withhold it.
  await rememberModel(context, wishes.model);
}

export function registerChatCommand(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    program
      .command('chat')
      .argument('[prompt...]')
      .option('-m, --model <model>', say(both('model to ask; kept in the profile', '模型；会保存在配置中')))
      .option('--token <token>', say(both('an own token by id or name', '本人的令牌（编号或名称）')))
      .option('--group <group>', say(both('an own token that is billed by this group', '使用按该分组计费的本人令牌')))
      .option('--key <source>', say(both('relay key: - or env:NAME (TOLLGATE_API_KEY)', '密钥来源：- 或 env:NAME')))
      .option('--system <text>', say(both('system prompt', '系统提示词')))
      .option(
        '--image <file>',
        say(both('a picture for the question; may be repeated', '随问题发送的图片，可重复')),
        collect,
      )
      .addOption(
        new Option('--format <dialect>', say(both('dialect to ask in (chat)', '接口形式（默认 chat）'))).choices(
          chatFormats,
        ),
      )
      .option('--max-tokens <n>', say(both('answer tokens at most', '输出 token 上限')))
      .option('--temperature <n>', say(both('sampling temperature', '采样温度')))
      .option('--no-stream', say(both('wait for the whole answer', '等待完整响应'))),
    runtime,
    {
      summary: both(
        'Ask a model and show what it cost; a pipe is added to the prompt; without a prompt a conversation on the terminal',
        '向模型提问并显示费用；管道内容附在问题之后；不带问题时在终端中对话',
      ),
      examples: [
        'chat -m gpt-4o "Say hi"',
        'chat -m gpt-4o --group default "Say hi"',
        'chat -m gpt-4o --token laptop "review this" < changes.diff',
        'chat',
      ],
      prints: () => chatView,
      calls: ['logs.listByKey', 'tokens.revealKey', ...tokenCalls, 'account.get', 'status.get'],
    },
    (context, [prompt], flags) => chat(context, wordsOf(prompt), flags),
  );
}
