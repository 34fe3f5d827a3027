/**
 * New codes in three steps: what, review, result. The file is opened before the call, with mode 0600; what was sent once
 * goes out again under the same key and with the same times, so that trying again never makes a second batch, whereas
 * other words make another one.
 */
import { type Bilingual, both } from '../language.ts';
import { ResultFile } from '../output/result-file.ts';
import { isServerFailure } from '../report.ts';
import { type CodePlan, type CodeWords, commandOf, fileText, inputOf, planOf } from './code-plan.ts';
import type { Desk } from './desk.ts';
import type { Form, Prompt } from './form.ts';
import { cell, labelled, type Size, wrapped } from './layout.ts';
import type { Press } from './press.ts';
import { drawn, edited, fieldOf, type TextField } from './text-field.ts';

type FieldName = Exclude<keyof CodeWords, 'isGift'>;
type Place = FieldName | 'kind';

const labelWidth = 14;

interface FieldText {
  readonly name: Place;
  readonly label: Bilingual;
  readonly hint: Bilingual;
}

const fieldTexts: readonly FieldText[] = [
  { name: 'name', label: both('Name', '名称'), hint: both('1-20 characters', '1-20 个字符') },
  { name: 'kind', label: both('Kind', '类型'), hint: both('Space changes it', '按空格切换') },
  { name: 'value', label: both('Value each', '单个额度'), hint: both('2usd or 1000000units', '2usd 或 1000000units') },
  { name: 'count', label: both('Count', '数量'), hint: both('up to 10,000', '最多 10,000') },
  {
    name: 'uses',
    label: both('Uses', '可用次数'),
    hint: both('of a gift code; empty: no limit', '仅礼品码；留空不限'),
  },
  {
    name: 'from',
    label: both('Valid from', '生效时间'),
    hint: both('2026-12-01, +3d; empty: now', '2026-12-01、+3d；留空立即'),
  },
  {
    name: 'until',
    label: both('Valid until', '失效时间'),
    hint: both('2027-01-01, 30d; empty: never', '2027-01-01、30d；留空不失效'),
  },
  { name: 'file', label: both('File', '文件'), hint: both('empty: NAME.csv here', '留空为当前目录的 名称.csv') },
];

type Stage =
  | { readonly step: 'what' }
  | {
      readonly step: 'review';
      readonly plan: CodePlan;
      /** Makes the call safe to repeat. */
      readonly key: string;
      readonly existing: number;
      typed: TextField;
      isSending: boolean;
    }
  | { readonly step: 'result'; readonly plan: CodePlan; readonly made: number; readonly isReplayed: boolean };

export class CodeWizard implements Form {
  readonly #desk: Desk;
  readonly #onEnd: () => void;
  /** What was sent and not answered with codes, by the words that ask for it. */
  readonly #sent = new Map<string, { readonly plan: CodePlan; readonly key: string }>();
  readonly #fields: Record<FieldName, TextField> = {
    name: fieldOf(),
    value: fieldOf(),
    count: fieldOf('1'),
    uses: fieldOf(),
    from: fieldOf(),
    until: fieldOf(),
    file: fieldOf(),
  };
  #isGift = false;
  #at: Place = 'name';
  #stage: Stage = { step: 'what' };
  /** The words are looked at, and stay as they are until then. */
  #isPlanning = false;

  constructor(desk: Desk, onEnd: () => void) {
    this.#desk = desk;
    this.#onEnd = onEnd;
  }

  get isDirty(): boolean {
    return this.#stage.step !== 'result' && (this.#fields.name.text !== '' || this.#fields.value.text !== '');
  }

  keys(): readonly string[] {
    const { say } = this.#desk;
    const stage = this.#stage;
    const leaveWords = this.#sent.size > 0 ? leaveSentWords : leaveUnsentWords;
    if (stage.step === 'result') return [say(both('Enter done', 'Enter 完成'))];
    if (stage.step === 'review' && stage.isSending) return [say(leaveWords)];
    if (stage.step === 'review')
      return [say(both('Enter create', 'Enter 创建')), say(both('Esc back', 'Esc 返回')), say(leaveWords)];
    return [
      say(both('↑↓ field', '↑↓ 切换字段')),
      say(both('Enter next', 'Enter 下一项')),
      say(both('Esc leave', 'Esc 离开')),
      say(leaveWords),
    ];
  }

  press(press: Press): void {
    const stage = this.#stage;
    if (stage.step === 'what') this.#describe(press);
    else if (stage.step === 'review') this.#review(press, stage);
    else if (press.name === 'Enter' || press.name === 'Esc') this.#onEnd();
  }

  get #places(): readonly Place[] {
    return fieldTexts.map(({ name }) => name).filter((name) => name !== 'uses' || this.#isGift);
  }

  #describe(press: Press): void {
    if (this.#isPlanning && press.name !== 'Esc') return;
    const places = this.#places;
    const at = places.indexOf(this.#at);
    const go = (by: number) => {
      this.#at = places[(at + by + places.length) % places.length] ?? 'name';
    };
    switch (press.name) {
      case 'Up':
      case 'S-Tab':
        go(-1);
        break;
      case 'Down':
      case 'Tab':
        go(1);
        break;
      case 'Enter':
        if (at < places.length - 1) go(1);
        else void this.#plan();
        break;
      case 'Esc':
        if (!this.isDirty) this.#onEnd();
        else if (this.#sent.size > 0)
          this.#desk.confirm(
            both('Leave? What was sent may have made codes.', '已发送的请求可能已创建兑换码，确定离开？'),
            this.#onEnd,
          );
        else this.#desk.confirm(both('Leave without creating codes?', '不创建兑换码，确定离开？'), this.#onEnd);
        break;
      default:
        if (this.#at !== 'kind') this.#fields[this.#at] = edited(this.#fields[this.#at], press);
        else if (['Space', 'Left', 'Right'].includes(press.name)) this.#isGift = !this.#isGift;
    }
  }

  #words(): CodeWords {
    const text = (name: FieldName) => this.#fields[name].text;
    return {
      name: text('name'),
      isGift: this.#isGift,
      value: text('value'),
      count: text('count'),
      uses: text('uses'),
      from: text('from'),
      until: text('until'),
      file: text('file'),
    };
  }

  async #plan(): Promise<void> {
    this.#isPlanning = true;
    await this.#desk.find(async () => {
      const planned = await planOf(this.#words(), this.#desk.context);
      const existing = await this.#desk.client.redemptions.countByName({ name: planned.words.name });
      const sent = this.#sent.get(askedBy(planned));
      // A time such as +3d was reckoned when it was sent: another one would be another batch.
      const plan = sent === undefined ? planned : { ...sent.plan, file: planned.file };
      const key = sent?.key ?? crypto.randomUUID();
      this.#stage = { step: 'review', plan, key, existing, typed: fieldOf(), isSending: false };
    });
    this.#isPlanning = false;
  }

  #review(press: Press, stage: Extract<Stage, { step: 'review' }>): void {
    if (stage.isSending) return;
    if (press.name === 'Esc') this.#stage = { step: 'what' };
    else if (press.name !== 'Enter') stage.typed = edited(stage.typed, press);
    else if (stage.typed.text.trim() === String(stage.plan.count)) void this.#create(stage);
    else
      this.#desk.tell(both(`type ${stage.plan.count} to create them`, `请输入 ${stage.plan.count} 以确认创建`), {
        tone: 'bad',
      });
  }

  async #create(stage: Extract<Stage, { step: 'review' }>): Promise<void> {
    const { plan, key } = stage;
    stage.isSending = true;
    await this.#desk.act(`${commandOf(plan)} --idempotency-key ${key}`, async () => {
      const file = await ResultFile.open(plan.file, { force: false });
      let isReplayed = false;
      try {
        this.#sent.set(askedBy(plan), { plan, key });
        const codes = await this.#desk.client.redemptions
          .create(inputOf(plan), {
            idempotencyKey: key,
            onReplayed: () => {
              isReplayed = true;
            },
          })
          .catch((failure: unknown) => {
            if (isRefusal(failure)) this.#sent.delete(askedBy(plan));
            throw failure;
          });
        await file.write(fileText(plan, codes));
        file.done();
        this.#stage = { step: 'result', plan, made: codes.length, isReplayed };
        return both(
          '{count} {count:code|codes} named {name} {count:is|are} in {file}',
          '{count} 个兑换码（{name}）已写入 {file}',
          { count: codes.length, name: plan.words.name, file: plan.file },
        );
      } finally {
        await file.close();
      }
    });
    stage.isSending = false;
    this.#desk.changed('key');
  }

  prompt(): Prompt {
    const { say } = this.#desk;
    const stage = this.#stage;
    if (stage.step === 'result')
      return { text: say(both('Enter goes on', '按 Enter 继续')), value: '', isSecret: false };
    if (stage.step === 'review') {
      const { count } = stage.plan;
      return { text: say(both(`Type ${count} to create them`, `输入 ${count} 确认创建`)), value: '', isSecret: false };
    }
    const field = fieldTexts.find(({ name }) => name === this.#at);
    const value = this.#at === 'kind' ? say(kindWords(this.#isGift)) : this.#fields[this.#at].text;
    const text = field === undefined ? '' : `${say(field.label)} (${say(field.hint)})`;
    return { text, value, isSecret: false };
  }

  lines({ width, height }: Size): readonly string[] {
    const { say } = this.#desk;
    const steps = {
      what: both('1 of 3: what', '第 1 步，共 3 步：内容'),
      review: both('2 of 3: review', '第 2 步，共 3 步：核对'),
      result: both('3 of 3: result', '第 3 步，共 3 步：结果'),
    };
    const stage = this.#stage;
    const title = ` ${say(both('New codes', '新建兑换码'))} · ${say(steps[stage.step])}`;
    if (stage.step === 'what') return [title, '', ...this.#formLines(width)];
    if (stage.step === 'result') return [title, ...this.#resultLines(stage)];
    const { plan } = stage;
    const command = ['', ...wrapped(commandOf(plan), width - 6).map((part) => `   ${part}`)];
    const review = this.#reviewLines(stage);
    const lines = [title, ...review, ...command];
    // The question counts most where there is little room.
    return lines.length <= height ? lines : [title, ...review.slice(-(height - 1))];
  }

  #formLines(width: number): readonly string[] {
    const { say } = this.#desk;
    return fieldTexts
      .filter(({ name }) => this.#places.includes(name))
      .map(({ name, label, hint }) => {
        const isHere = name === this.#at;
        const room = 30;
        const shown =
          name === 'kind'
            ? say(kindWords(this.#isGift))
            : isHere
              ? drawn(this.#fields[name], room)
              : this.#fields[name].text;
        return cell(`${isHere ? '>' : ' '}  ${cell(say(label), labelWidth)} ${cell(shown, room)}  ${say(hint)}`, width);
      });
  }

  #reviewLines({ plan, key, existing, typed, isSending }: Extract<Stage, { step: 'review' }>): readonly string[] {
    const { say, money, context, glyphs } = this.#desk;
    const line = (label: Bilingual, text: string) => `  ${labelled(say(label), text, labelWidth)}`;
    const time = (seconds: number, none: Bilingual) => (seconds === 0 ? say(none) : String(context.timeText(seconds)));
    const from = time(plan.validFrom, both('now', '立即'));
    const until = time(plan.validUntil, both('without end', '长期'));
    const { count } = plan;
    return [
      line(both('Name', '名称'), plan.words.name),
      line(both('Kind', '类型'), say(kindWords(plan.words.isGift))),
      line(
        both('Value', '额度'),
        say(
          both('{amount} each ({units} {units:unit|units})', '每个 {amount}（{units} 单位）', {
            amount: money(plan.quota),
            units: plan.quota,
          }),
        ),
      ),
      line(both('Count', '数量'), String(count)),
      line(both('Valid', '有效期'), say(both(`${from} to ${until}`, `${from} 至 ${until}`))),
      `   ${glyphs.rule.repeat(46)}`,
      line(both('Total', '合计'), money(plan.quota * count)),
      line(
        both('Already there', '已有'),
        say(
          both('{existing} {existing:code is|codes are} named {name}', '{existing} 个兑换码同名', {
            existing,
            name: plan.words.name,
          }),
        ),
      ),
      line(
        both('Codes go to', '写入'),
        say(both(`${plan.file}  (new file, mode 0600)`, `${plan.file}（新文件，权限 0600）`)),
      ),
      line(
        both('Key', '幂等键'),
        say(both(`${key.slice(0, 8)}-…  (with it the same codes come back)`, `${key.slice(0, 8)}-…（重试返回同一批）`)),
      ),
      '',
      isSending
        ? `   ${say(both('creating…', '正在创建…'))}`
        : `   ${say(both(`Type ${count} to create them:`, `输入 ${count} 确认创建：`))} ${drawn(typed, 12)}`,
    ];
  }

  #resultLines({ plan, made, isReplayed }: Extract<Stage, { step: 'result' }>): readonly string[] {
    const { say, money } = this.#desk;
    return [
      '',
      `   ${say(both('{made} {made:code|codes} named {name}, {sum} in all', '{made} 个兑换码，名称 {name}，合计 {sum}', { made, name: plan.words.name, sum: money(plan.quota * made) }))}`,
      `   ${say(both(`written to ${plan.file}, readable by you alone`, `已写入 ${plan.file}，仅本人可读`))}`,
      ...(isReplayed
        ? [
            '',
            `   ${say(both('they were made by an earlier call with the same key', '由之前的同一请求创建，未重复创建'))}`,
          ]
        : []),
    ];
  }
}

const leaveUnsentWords = both('Ctrl-C leave; nothing is created', 'Ctrl-C 离开，不创建');
const leaveSentWords = both('Ctrl-C leave; codes may be created', 'Ctrl-C 离开，可能已创建');

/** The server has said no, and made nothing; not where it or a proxy failed, or another call has the key. */
function isRefusal(failure: unknown): boolean {
  if (!isServerFailure(failure)) return false;
  const { status, code } = failure;
  return status >= 400 && status < 500 && !code.startsWith('idempotency_');
}

/** All that makes one batch another than the next; its file does not. */
function askedBy({ words }: CodePlan): string {
  return JSON.stringify({ ...words, file: '' });
}

function kindWords(isGift: boolean): Bilingual {
  return isGift
    ? both('gift (several users, once each)', '礼品码（多个用户各一次）')
    : both('ordinary (one use each)', '普通（每个只能使用一次）');
}
