/** The fourth step of `setup`: a channel that passes its test, or stays disabled until it does. */
import type { ChannelView } from '../../daemon/contract/channels.ts';
import type { Flags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { CliError, QuestionLeft, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { noteFailure } from '../failure-note.ts';
import { givenFor, listOf, textOf } from '../flags.ts';
import { both } from '../language.ts';
import { askYesOrNo, prompted } from '../prompts.ts';
import { type ChannelFields, channelFields } from './channel-fields.ts';
import { testedAs } from './channel-test.ts';
import { addressComplaint, askSecret, askText } from './setup-prompts.ts';

export interface FirstChannel {
  /** Null where none was made. */
  readonly id: number | null;
  /** A model to ask; undefined where no channel has one. */
  readonly model: string | undefined;
}

/** Makes the first channel, where there is none or the flags describe one. */
export async function firstChannel(context: CommandContext, flags: Flags): Promise<FirstChannel> {
  const client = await context.client();
  const { total } = await client.channels.list({ page: 1, page_size: 1 });
  const isDescribed = textOf(flags.provider) !== undefined;
  if (flags.channel === false || (total > 0 && !isDescribed)) return channelThere(context, total);
  if (!isDescribed && !(await wantsChannel(context))) return { id: null, model: undefined };
  const type = textOf(flags.provider) ?? (await askType(context));
  const name = type;
  let made: ChannelView | undefined;
  // What a person wrote wrong can be written again; what flags say cannot.
  for (;;) {
    const key = await keyOf(context, flags);
    const baseUrl = textOf(flags.baseUrl) ?? (await askBaseUrl(context, isDescribed));
    try {
      const described = await channelFields(context, { name, type, ...(baseUrl === '' ? {} : { baseUrl }) });
      const fields = { ...described, key };
      made = await saved(context, { ...fields, models: await modelsOf(context, flags, fields) }, made);
      const { ok, time, message } = await testedAs(client.channels.test({ id: made.id }));
      if (!ok) {
        const text = both(`channel ${made.id} stays disabled: ${message}`, `渠道 ${made.id} 保持禁用：${message}`);
        throw new CliError('channel_test_failed', exitCodes.no, text, { named: { channel: String(made.id) } });
      }
      made = await client.channels.setStatus({ id: made.id, status: 1 });
      const seconds = time.toFixed(2);
      context.done(
        both(
          `channel ${made.id} ${made.name} passed its test in ${seconds} s`,
          `渠道 ${made.id} ${made.name} 测试通过，耗时 ${seconds} 秒`,
        ),
      );
      return { id: made.id, model: made.models.split(',')[0] };
    } catch (failure) {
      if (isDescribed || failure instanceof QuestionLeft) throw failure;
      if (!(await triesAgain(context, failure))) return { id: made?.id ?? null, model: undefined };
    }
  }
}

/** A channel that is there and serves; of those that all stay disabled nothing can be asked, which is said. */
async function channelThere(context: CommandContext, total: number): Promise<FirstChannel> {
  const { channels } = await context.client();
  const [serving] = (await channels.list({ page: 1, page_size: 1, status: 'enabled' })).items;
  if (serving === undefined && total > 0) {
    const text = both(
      'no channel is enabled, so there is nothing to ask; next: tollgate channel list, channel edit, channel test',
      '没有启用的渠道，无法提问；接下来：tollgate channel list、channel edit、channel test',
    );
    context.note(context.say(text));
  }
  return { id: null, model: serving?.models.split(',')[0] };
}

/** The same channel again where it was made before its test failed. */
async function saved(
  context: CommandContext,
  fields: ChannelFields,
  made: ChannelView | undefined,
): Promise<ChannelView> {
  const { channels } = await context.client();
  if (made !== undefined) return channels.update({ id: made.id, ...fields });
  const created = await channels.create({ group: 'default', ...fields, status: 2 });
  const [row] = 'items' in created ? created.items : [created];
  if (row === undefined) throw new Error('the server made no channel');
  return row;
}

async function wantsChannel(context: CommandContext): Promise<boolean> {
  if (!context.terminal.interactive) return false;
  return askYesOrNo(context, both('Add a first channel now?', '现在添加首个渠道？'), { initial: 'yes' });
}

async function askType(context: CommandContext): Promise<string> {
  const { autocomplete } = await import('@clack/prompts');
  const { channelTypes } = await import('../../daemon/contract/channel-types.ts');
  return prompted(context, (place) =>
    autocomplete({
      message: context.say(both('Provider', '供应商')),
      options: channelTypes
        .filter(({ retired }) => retired !== true)
        .map(({ name, label }) => ({ value: name, label: label[context.language], hint: name })),
      maxItems: 8,
      ...place,
    }),
  );
}

async function keyOf(context: CommandContext, flags: Flags): Promise<string> {
  const source = textOf(flags.key);
  if (source !== undefined) return context.secret(source, '--key');
  if (context.terminal.interactive) return askSecret(context, both('Key of the provider', '供应商密钥'));
  const { parseChannelType } = await import('../../daemon/contract/channel-types.ts');
  if (parseChannelType(textOf(flags.provider) ?? '')?.keyOptional === true) return '';
  throw usageError(both('--provider needs --key', '--provider 需要 --key'), { field: '--key' });
}

async function askBaseUrl(context: CommandContext, isDescribed: boolean): Promise<string> {
  if (isDescribed) return '';
  return askText(context, both('Address; empty for that of the type', '地址，留空使用类型默认值'), {
    check: (typed) => (typed.trim() === '' ? undefined : addressComplaint(typed)),
  });
}

/** There is no channel yet whose address and key could be looked at. */
const writeModels = both(
  'write the models yourself; key and address can be written again where the test fails',
  '自行填写模型；若测试失败，可重新填写密钥和地址',
);

/** The models by flag, or picked from those that the provider names. */
async function modelsOf(
  context: CommandContext,
  flags: Flags,
  { type = 0, key, base_url = '' }: ChannelFields & { readonly key: string },
): Promise<string> {
  const named = givenFor(flags.models);
  if (!['', 'fetch'].includes(named.join())) return (await listOf(context, named, '--models')).join(',');
  const fetching = (await context.client()).channels.fetchModelsDraft({ type, key, base_url });
  const isPicked = context.terminal.interactive && named.length === 0;
  if (!isPicked) return (await fetching).join(',');
  const fetched = await fetching.catch(async (failure: unknown) => {
    await noteFailure(context, failure, writeModels);
    return [];
  });
  if (fetched.length === 0) {
    const question = both('The provider named no models; write them, a,b', '供应商未返回模型，请填写，以逗号分隔');
    return askText(context, question, {
      check: (text) => (text.trim() === '' ? both('one at least', '至少一个') : undefined),
    });
  }
  const { autocompleteMultiselect } = await import('@clack/prompts');
  const picked = await prompted(context, (place) =>
    autocompleteMultiselect({
      message: context.say(both(`Models (${fetched.length}); Tab marks`, `模型（${fetched.length} 个），按 Tab 勾选`)),
      options: fetched.map((model) => ({ value: model, label: model })),
      required: true,
      maxItems: 8,
      ...place,
    }),
  );
  return picked.join(',');
}

/** Says what went wrong and what to do about it; true to go on with another key. */
async function triesAgain(context: CommandContext, failure: unknown): Promise<boolean> {
  await noteFailure(context, failure);
  const question = both('Write key and address again? No leaves it disabled', '重新填写密钥和地址？选否则保持禁用');
  return askYesOrNo(context, question, { initial: 'yes' });
}
