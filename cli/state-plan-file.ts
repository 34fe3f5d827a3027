/** Plans in files: `diff --plan-out` writes one, `apply` makes it so later, and tells what has moved where it cannot. */
import { isAbsolute } from 'node:path';
import type { StateObjectChange, StatePlanFile, StatePlanView } from '../daemon/contract/state.ts';
import type { CommandContext } from './context.ts';
import { usageError } from './errors.ts';
import { both } from './language.ts';

/** Throws exit 3 for references that mean nothing in another place. */
export function planFileText(file: Omit<StatePlanFile, 'apiVersion'>): string {
  const text = JSON.stringify({ apiVersion: 'tollgate/plan/v1', ...file }, null, 2);
  refuseOutside(file.document);
  return `${text}\n`;
}

/** Throws exit 3 for what is no plan, and 12 for what cannot be read. */
export async function readPlanFile(context: CommandContext, path: string): Promise<StatePlanFile> {
  const text = await context.value(path === '-' ? '-' : `@${path}`, 'plan');
  const { StatePlanFile: schema } = await import('../daemon/contract/state.ts');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw usageError(both(`${path} is no plan`, `${path} 不是计划文件`), { field: 'plan', cause });
  }
  const checked = schema.safeParse(value);
  if (!checked.success) {
    const { innermost, schemaFault } = await import('./state-fault.ts');
    const issue = innermost(checked.error.issues[0]);
    const place = issue?.path.map(String).join('.') || 'plan';
    const { en, zh } = schemaFault(issue, value);
    throw usageError(both(`${path} is no plan: ${place} ${en}`, `${path} 不是计划文件：${place} ${zh}`), {
      field: 'plan',
      hint: both('documents are named with -f', '文档请用 -f 指定'),
    });
  }
  refuseOutside(checked.data.document);
  return checked.data;
}

/** Files of a plan lie below the folder in which the command runs. */
function refuseOutside({ channels, alerts, options }: StatePlanFile['document']): void {
  const keys = Object.values(channels ?? {}).flatMap((channel) => (Array.isArray(channel.keys) ? channel.keys : []));
  const targets = Object.values(alerts?.targets ?? {}).flatMap((target) => [target.secret, target.secret_address]);
  for (const reference of [...keys, ...targets, ...Object.values(options ?? {})]) {
    if (typeof reference !== 'string' || !reference.startsWith('file:')) continue;
    const path = reference.slice('file:'.length);
    if (!isAbsolute(path) && !path.split(/[\\/]/).includes('..')) continue;
    throw usageError(both(`${reference} is outside this folder`, `${reference} 不在当前目录内`), {
      field: 'plan',
      hint: both('run it in the folder above the documents', '请在文档的上级目录中运行'),
    });
  }
}

/** What is different in a fresh plan: changes of objects that were not in the old one, or are not as they were. */
export function movedSince(old: StatePlanView, fresh: StatePlanView): StateObjectChange[] {
  const before = new Map(old.changes.map((change) => [`${change.kind} ${change.key}`, change]));
  const after = new Set(fresh.changes.map(({ kind, key }) => `${kind} ${key}`));
  const moved = fresh.changes.flatMap((change): StateObjectChange[] => {
    const known = before.get(`${change.kind} ${change.key}`);
    const fields = change.fields.filter((field) => {
      const same = known?.fields.find(({ path }) => path === field.path);
      return JSON.stringify([same?.from, same?.to]) !== JSON.stringify([field.from, field.to]);
    });
    return known && fields.length === 0 ? [] : [{ ...change, fields }];
  });
  const done = old.changes.filter(({ kind, key }) => !after.has(`${kind} ${key}`));
  return [...moved, ...done.map((change) => ({ ...change, fields: [] }))];
}
