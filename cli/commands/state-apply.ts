/** `diff` and `apply`: what documents of declared state would change, and making it so. */
import type { Command } from 'commander';
import type { StateAllowances, StatePlanView } from '../../daemon/contract/state.ts';
import type { StateDocument, StateFile } from '../../daemon/contract/state-document.ts';
import { type Flags, leaf, type Runtime } from '../command.ts';
import { confirm } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { collect, textOf } from '../flags.ts';
import { type Bilingual, both, sayIn } from '../language.ts';
import { openResultFile } from '../output/unfinished-files.ts';
import { readState } from '../state-files.ts';
import { movedSince, planFileText, readPlanFile } from '../state-plan-file.ts';
import { guardText, orphanLines, planMarkdown, planRows, planRowView, planText, planView } from '../state-plan-text.ts';
import { type InlineSecrets, resolveSecrets } from '../state-secrets.ts';

/** What is asked of the server, and the document as it stands in files. */
interface Wish {
  readonly file: StateFile;
  readonly document: StateDocument;
  readonly allowances: StateAllowances;
}

const markdown = 'markdown';

export function registerStateChanges(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);

  leaf(
    withAllowances(program.command('diff'), say)
      .option('--unmanaged', say(both('list what no set owns', '列出不属于任何集合的对象')))
      .option(
        '--plan-out <file>',
        say(both('write the plan for apply, without secrets', '写出供 apply 使用的计划（不含机密）')),
      ),
    runtime,
    {
      summary: both('Show what documents would change', '显示声明文档会带来的变化'),
      examples: ['diff -f state.yaml', 'diff -f state.yaml --prune -o markdown'],
      prints: planPrinted,
      forms: [markdown],
      calls: ['state.plan'],
      exits: [exitCodes.no, exitCodes.conflict],
    },
    async (context, _args, flags) => {
      const path = textOf(flags.planOut);
      const wished = { force: flags.force === true, flag: '--plan-out' };
      const out = path === undefined ? undefined : await openResultFile(context, path, wished);
      try {
        const wish = await readWish(context, flags);
        const plan = await planOf(context, wish, flags);
        if (out) {
          if (flags.allowInlineSecrets === true) {
            throw usageError(both('a plan holds no secrets', '计划文件不能包含机密'), {
              field: '--allow-inline-secrets',
            });
          }
          await out.write(planFileText({ plan, document: wish.file, allowances: wish.allowances }));
          out.done();
        }
        await printPlan(context, plan, flags);
        context.endWith(endOf(plan));
      } finally {
        await out?.close();
      }
    },
  );

  leaf(
    withAllowances(program.command('apply').argument('[plan]'), say)
      .option('--message <text>', say(both('stands in the audit log', '写入审计记录的说明')))
      .option('--check', say(both('check the documents and ask no server', '仅检查文档，不访问服务器')))
      .option('--dry-run', say(both('as diff', '同 diff'))),
    runtime,
    {
      summary: both(
        'Make the live state what documents say, all or nothing',
        '使当前状态与声明文档一致，要么全部成功要么全部不变',
      ),
      examples: ['apply -f state.yaml --yes --message first', 'apply plan.json --yes'],
      prints: planPrinted,
      forms: [markdown],
      calls: ['state.plan', 'state.apply'],
      exits: [exitCodes.no, exitCodes.conflict],
    },
    async (context, [planPath], flags) => {
      const path = textOf(planPath);
      const kept = path ? await readPlanFile(context, path) : undefined;
      if (kept && flags.file !== undefined) {
        throw usageError(both('a plan has its document with it', '计划文件已包含文档'), { field: '--file' });
      }
      const wish: Wish = kept
        ? {
            file: kept.document,
            document: await resolveSecrets(context, kept.document, { inline: 'refuse' }),
            allowances: kept.allowances,
          }
        : await readWish(context, flags);
      if (flags.check === true) {
        context.done(both(`${wish.document.set} is in order`, `${wish.document.set} 检查通过`));
        return;
      }
      const plan = kept?.plan ?? (await planOf(context, wish, flags));
      if (flags.dryRun === true) {
        await printPlan(context, plan, flags);
        context.endWith(endOf(plan));
        return;
      }
      await applyPlan(context, { plan, wish, flags });
    },
  );
}

function planPrinted({ printer }: CommandContext) {
  const isWhole = ['json', 'yaml', 'ndjson'].includes(printer.format);
  return { columns: planRowView.columns, fields: isWhole ? (planView.fields ?? []) : [] };
}

function withAllowances(command: Command, say: (text: Bilingual) => string): Command {
  return command
    .option('-f, --file <path>', say(both('file, folder or -, repeatable', '文件、目录或 -，可重复')), collect)
    .option('--prune', say(both('delete what the set owns and no document names', '删除集合拥有但文档未声明的对象')))
    .option('--adopt', say(both('take over what differs and nobody owns', '接管内容不同且无主的对象')))
    .option('--take-over', say(both('take over what other sets own', '接管其他集合拥有的对象')))
    .option('--change-kind', say(both('let prices change between by token and by call', '允许在按量与按次计费间切换')))
    .option('--empty-groups', say(both('let groups lose their last channel', '允许分组失去最后一个渠道')))
    .option(
      '--max-deletes <n>',
      say(
        both(
          'deletions at most (5, or a tenth of what the set owns if that is more)',
          '最多删除数（5 或集合对象数的十分之一，取较大者）',
        ),
      ),
    )
    .option(
      '--max-price-rise <percent>',
      say(both('rise of any price at most, in percent (50)', '价格涨幅上限，百分比（50）')),
    )
    .option('--allow-inline-secrets', say(both('take secrets that stand in the document', '允许文档直接包含机密')));
}

async function readWish(context: CommandContext, flags: Flags): Promise<Wish> {
  const names = Array.isArray(flags.file) ? flags.file.map(String) : [];
  const { file, whereIs } = await readState(context, names);
  const inline: InlineSecrets = flags.allowInlineSecrets === true ? 'inline' : 'refuse';
  const allowances = {
    prune: flags.prune === true,
    adopt: flags.adopt === true,
    take_over: flags.takeOver === true,
    change_kind: flags.changeKind === true,
    empty_groups: flags.emptyGroups === true,
    max_deletes: numberOf(flags.maxDeletes, '--max-deletes'),
    max_price_rise: numberOf(flags.maxPriceRise, '--max-price-rise'),
  };
  return { file, document: await resolveSecrets(context, file, { inline, whereIs }), allowances };
}

/** `20` or `20%`. Throws exit 3. */
function numberOf(value: unknown, field: string): number | undefined {
  const text = textOf(value);
  if (text === undefined) return undefined;
  const [, number] = /^(\d{1,9}(?:\.\d+)?)%?$/.exec(text.trim()) ?? [];
  if (number !== undefined) return Number(number);
  throw usageError(both(`${text} is no number`, `${text} 不是数字`), { field });
}

async function planOf(context: CommandContext, wish: Wish, flags: Flags): Promise<StatePlanView> {
  const { document, allowances } = wish;
  const client = await context.client();
  return client.state.plan({ document, ...allowances, unmanaged: flags.unmanaged === true });
}

async function printPlan(context: CommandContext, plan: StatePlanView, flags: Flags): Promise<void> {
  const { printer } = context;
  await context.clocks.prepareTimes();
  if (flags.ownForm === markdown) await printer.text(planMarkdown(context, plan));
  else if (['json', 'yaml', 'ndjson'].includes(printer.format)) await printer.one(plan, planView);
  else if (printer.format === 'table' && flags.quiet !== true) await printer.text(await planText(context, plan));
  else {
    await printer.list(planRows(plan, flags.quiet === true ? 'objects' : 'fields'), planRowView);
    // Rows are what changes: an orphan does not, but is never passed over in silence.
    for (const line of orphanLines(plan, context.language)) context.note(line);
  }
  for (const { message, lift } of plan.guards) context.note(guardText(message, lift));
  for (const { message } of plan.warnings) context.note(message);
}

/** Only what belongs to somebody else is a conflict before anything is to be changed. */
function endOf({ guards, changes }: StatePlanView): number {
  if (guards.some(({ code }) => code === 'state_owned')) return exitCodes.conflict;
  return changes.length > 0 ? exitCodes.no : exitCodes.done;
}

async function applyPlan(
  context: CommandContext,
  { plan, wish, flags }: { plan: StatePlanView; wish: Wish; flags: Flags },
): Promise<void> {
  const [guard] = plan.guards;
  if (guard) {
    // A program reads no result of what failed, and all of the reasons in one line; people see them below the plan.
    if (context.printer.machine) throw guarded(guard.code, plan.guards);
    await printPlan(context, plan, flags);
    throw guarded(guard.code, [guard]);
  }
  const { create, change, delete: gone } = plan.summary;
  if (plan.changes.length > 0 && context.flags.yes !== true) context.note((await planText(context, plan)).trimEnd());
  if (plan.changes.length > 0) {
    const counts = both(
      `${create} to create, ${change} to change, ${gone} to delete`,
      `新建 ${create}，修改 ${change}，删除 ${gone}`,
    );
    const { url } = await context.target();
    await confirm(
      context,
      both(`apply ${plan.set} to ${url}: ${counts.en}`, `将 ${plan.set} 应用到 ${url}：${counts.zh}`),
    );
  }
  const done = await applied(context, { plan, wish, flags });
  context.done(
    done.changes.length === 0
      ? both('nothing to change', '没有变化')
      : both(
          `plan ${done.plan_id} is applied, objects changed: ${done.changes.length}`,
          `计划 ${done.plan_id} 已修改 ${done.changes.length} 个对象`,
        ),
  );
  await printPlan(context, done, flags);
}

/** Why nothing is applied, and which flags would let it be. */
function guarded(code: string, guards: StatePlanView['guards']): CliError {
  const message = guards.map((guard) => guard.message).join('; ');
  const lifts = guards.flatMap(({ lift }) => (lift === '' ? [] : [liftText(lift)]));
  const flags = [...new Set(lifts)].join(' ');
  return new CliError(code, exitCodes.conflict, both(message, message), {
    ...(flags === '' ? {} : { hint: both(`to allow it, add ${flags}`, `如需允许，请加上 ${flags}`) }),
  });
}

function liftText(lift: string): string {
  const flag = `--${lift.replaceAll('_', '-')}`;
  return lift.startsWith('max_') ? `${flag} N` : flag;
}

async function applied(
  context: CommandContext,
  { plan, wish, flags }: { plan: StatePlanView; wish: Wish; flags: Flags },
): Promise<StatePlanView> {
  const { document, allowances } = wish;
  const client = await context.client();
  try {
    const message = textOf(flags.message);
    // A run that comes again under its key after the first took effect has another plan to agree to: the key goes with it.
    const idempotencyKey = context.repetition.keyFor(plan.plan_id);
    return await client.state.apply({ document, ...allowances, plan_id: plan.plan_id, message }, { idempotencyKey });
  } catch (error) {
    const { ApiError } = await import('../../daemon/contract/client.ts');
    if (error instanceof ApiError && error.code === 'state_plan_stale') {
      const fresh = await planOf(context, wish, flags);
      context.note(context.say(both('moved since the plan:', '计划之后的变化：')));
      const moved = { ...fresh, changes: movedSince(plan, fresh), orphans: [] };
      context.note((await planText(context, moved)).trimEnd());
      if (fresh.changes.length === 0 && fresh.guards.length === 0) {
        // As after an apply whose answer was lost: who runs it again need not make a plan.
        const done = both(
          'nothing is left to do: all that the plan declares is there, as after this plan was applied',
          '无需再做：计划声明的内容均已生效，该计划可能已应用过',
        );
        context.note(context.say(done));
        return fresh;
      }
      context.note(context.say(both('the plan as it would be now:', '当前的计划：')));
      context.note((await planText(context, fresh)).trimEnd());
    }
    throw error;
  }
}
