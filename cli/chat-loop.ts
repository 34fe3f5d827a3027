/**
 * The prompt loop of `chat`: lines from a terminal, answers as they come, commands that begin with a slash. The
 * conversation stays in memory. Ctrl-C stops an answer or empties the line; twice it leaves.
 */
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { ask, type ChatWishes, rowOf, sumUp, textsOf } from './chat-call.ts';
import type { ChatImage, ChatMessage } from './chat-dialects.ts';
import type { CommandContext } from './context.ts';
import { usageError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { unitsToUsd } from './input/money.ts';
import { type Bilingual, both } from './language.ts';
import { reportFailure } from './report.ts';

export interface ChatLoopDeps {
  readonly context: CommandContext;
  readonly key: string;
  readonly wishes: ChatWishes;
  readonly system: string | undefined;
  /** Shown with the first question. */
  readonly images: readonly ChatImage[];
  /** Told of the model that is asked from now on. */
  readonly onModel: (model: string) => Promise<void>;
}

type Typed = { readonly line: string } | 'interrupted' | 'ended';

/** Two Ctrl-C within this time leave. */
const twiceMs = 2000;

const help = both(
  `/model [name]    show or change the model
/system [text]   show or set the system prompt; - for none
/clear           forget the conversation
/save <file>     write the conversation to a new file, as JSON where it ends in .json
/cost            what the answers have cost
/tokens          what they have taken
/quit            leave
A line that ends in \\ goes on; // begins a line with a slash.`,
  `/model [名称]    查看或切换模型
/system [文字]   查看或设置系统提示词；- 表示清除
/clear           清空对话
/save <文件>     把对话写入新文件；以 .json 结尾时写为 JSON
/cost            已产生的费用
/tokens          已使用的 token
/quit            退出
行尾的 \\ 表示续行；以 // 开头的行表示以斜杠开头的文字。`,
);

export class ChatLoop {
  readonly #deps: ChatLoopDeps;
  readonly #waiting: Typed[] = [];
  #wake: (() => void) | undefined;
  #model: string;
  #system: string;
  #conversation: ChatMessage[] = [];
  readonly #sums = { answers: 0, charge: 0, unknown: 0, prompt: 0, completion: 0 };
  #stopAnswer: AbortController | undefined;
  #stoppedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: ChatLoopDeps) {
    this.#deps = deps;
    this.#model = deps.wishes.model;
    this.#system = deps.system ?? '';
  }

  /** Runs until the person leaves. */
  async run(): Promise<void> {
    const { context } = this.#deps;
    const lines = createInterface({ input: context.host.stdin, output: context.host.stderr, terminal: true });
    const leave = () => this.#offer('ended');
    lines.on('line', (line) => this.#offer({ line }));
    lines.on('SIGINT', () => this.#interrupt());
    lines.on('close', leave);
    context.signal.addEventListener('abort', leave);
    try {
      context.note(context.say(both('/help lists the commands, /quit leaves', '输入 /help 查看命令，/quit 退出')));
      let before = '';
      for (;;) {
        lines.setPrompt(before === '' ? `${this.#model}> ` : '... ');
        lines.prompt();
        const typed = await this.#next();
        if (typed === 'ended') break;
        if (typed === 'interrupted') {
          before = '';
          // Empties the line that was begun.
          lines.write(null, { ctrl: true, name: 'e' });
          lines.write(null, { ctrl: true, name: 'u' });
          context.host.stderr.write('\n');
          context.note(context.say(both('once more to leave', '再按一次退出')));
          continue;
        }
        const { line } = typed;
        if (line.endsWith('\\')) {
          before += `${line.slice(0, -1)}\n`;
          continue;
        }
        const text = `${before}${line}`.trim();
        before = '';
        if (text !== '' && (await this.#take(text)) === 'leave') break;
      }
    } finally {
      context.signal.removeEventListener('abort', leave);
      // Gives the terminal back as it was.
      lines.close();
      context.host.stderr.write('\n');
    }
    context.signal.throwIfAborted();
  }

  #offer(typed: Typed): void {
    this.#waiting.push(typed);
    this.#wake?.();
  }

  async #next(): Promise<Typed> {
    while (this.#waiting.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#waiting.shift() ?? 'ended';
  }

  #interrupt(): void {
    const now = performance.now();
    const isSecond = now - this.#stoppedAt < twiceMs;
    this.#stoppedAt = now;
    this.#stopAnswer?.abort();
    if (isSecond) {
      this.#deps.context.endWith(exitCodes.interrupted);
      this.#offer('ended');
    } else if (this.#stopAnswer === undefined) {
      this.#offer('interrupted');
    }
  }

  /** A command, or something to ask. What goes wrong is told, and the loop goes on. */
  async #take(text: string): Promise<'leave' | 'stay'> {
    const { context } = this.#deps;
    try {
      if (text.startsWith('/') && !text.startsWith('//')) return await this.#command(text);
      await this.#answer(text.startsWith('//') ? text.slice(1) : text);
    } catch (error) {
      if (context.signal.aborted) return 'leave';
      const { url } = await context.target();
      const { terminal, language, host } = context;
      const facts = { language, command: 'chat', url, debug: context.isDebugged, machine: false };
      await reportFailure(error, { ...facts, colour: terminal.colour.stderr, stderr: host.stderr });
    }
    return 'stay';
  }

  async #answer(prompt: string): Promise<void> {
    const { context, key, wishes } = this.#deps;
    const images = this.#conversation.length === 0 ? this.#deps.images : [];
    const asked: ChatMessage = { role: 'user', content: prompt, ...(images.length === 0 ? {} : { images }) };
    const system: ChatMessage[] = this.#system === '' ? [] : [{ role: 'system', content: this.#system }];
    const stop = new AbortController();
    this.#stopAnswer = stop;
    try {
      const messages = [...system, ...this.#conversation, asked];
      const open = await ask(context, {
        key,
        wishes: { ...wishes, model: this.#model },
        messages,
        signal: stop.signal,
      });
      let failure: unknown;
      try {
        await context.printer.stream(textsOf(open));
      } catch (error) {
        if (!stop.signal.aborted) failure = error;
        context.host.stderr.write('\n');
      }
      // What was said before it was stopped or broke off belongs to the conversation.
      if (open.answer.text !== '') this.#conversation.push(asked, { role: 'assistant', content: open.answer.text });
      // It is paid for as well.
      const row = await rowOf(context, key, open);
      this.#count(row);
      await sumUp(context, row);
      await this.#deps.onModel(this.#model);
      if (failure !== undefined) throw failure;
    } catch (error) {
      if (!stop.signal.aborted) throw error;
      context.note(context.say(both('stopped', '已停止')));
    } finally {
      this.#stopAnswer = undefined;
    }
  }

  #count({
    charge,
    usage,
  }: {
    charge: number | null;
    usage: { prompt_tokens: number; completion_tokens: number } | null;
  }) {
    this.#sums.answers += 1;
    this.#sums.charge += charge ?? 0;
    this.#sums.unknown += charge === null ? 1 : 0;
    this.#sums.prompt += usage?.prompt_tokens ?? 0;
    this.#sums.completion += usage?.completion_tokens ?? 0;
  }

  async #command(text: string): Promise<'leave' | 'stay'> {
    const [, name = '', rest = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
    switch (name) {
      case 'quit':
        return 'leave';
      case 'help':
        this.#say(help);
        return 'stay';
      case 'model':
        if (rest !== '') this.#model = rest;
        this.#say(both(this.#model, this.#model));
        return 'stay';
      case 'system':
        if (rest !== '') this.#system = rest === '-' ? '' : rest;
        this.#say(this.#system === '' ? both('no system prompt', '没有系统提示词') : both(this.#system, this.#system));
        return 'stay';
      case 'clear':
        this.#conversation = [];
        this.#say(both('the conversation is forgotten', '已清空对话'));
        return 'stay';
      case 'save':
        await this.#save(rest);
        return 'stay';
      case 'cost':
        await this.#tellCost();
        return 'stay';
      case 'tokens':
        this.#say(
          both(
            `${this.#sums.prompt} in, ${this.#sums.completion} out`,
            `输入 ${this.#sums.prompt}，输出 ${this.#sums.completion}`,
          ),
        );
        return 'stay';
      default:
        throw usageError(both(`there is no command /${name}`, `没有命令 /${name}`), {
          hint: both('/help lists them', '输入 /help 查看命令'),
        });
    }
  }

  async #tellCost(): Promise<void> {
    const { answers, charge, unknown } = this.#sums;
    const { quotaPerUnit } = await this.#deps.context.site();
    const sum = `$${unitsToUsd(charge, quotaPerUnit)}`;
    this.#say(
      both(
        `{sum} for {answers} {answers:answer|answers}${unknown === 0 ? '' : ', {unknown} of them not in the log yet'}`,
        `{answers} 次回答共 {sum}${unknown === 0 ? '' : '，其中 {unknown} 次尚未出现在日志中'}`,
        { sum, answers, unknown },
      ),
    );
  }

  /** Never replaces a file. */
  async #save(file: string): Promise<void> {
    if (file === '') throw usageError(both('/save takes the name of a file', '/save 需要文件名'));
    const system: ChatMessage[] = this.#system === '' ? [] : [{ role: 'system', content: this.#system }];
    const messages = [...system, ...this.#conversation];
    const text = file.endsWith('.json')
      ? `${JSON.stringify({ model: this.#model, messages: messages.map(({ role, content }) => ({ role, content })) }, null, 2)}\n`
      : messages.map(({ role, content }) => `## ${role}\n\n${content}\n`).join('\n');
    await writeFile(file, text, { flag: 'wx', mode: 0o600 }).catch((cause: unknown) => {
      const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
      throw usageError(both(`cannot write ${file} (${reason})`, `无法写入 ${file}（${reason}）`), { cause });
    });
    this.#say(
      both('{count} {count:message is|messages are} in {file}', '已把 {count} 条消息写入 {file}', {
        count: messages.length,
        file,
      }),
    );
  }

  #say(text: Bilingual): void {
    this.#deps.context.note(this.#deps.context.say(text));
  }
}
