/** `--jq`: real jq as WebAssembly, loaded only when asked for. */
import { usageError } from '../errors.ts';
import { both } from '../language.ts';

/** Throws exit 3 for what is no expression. */
export async function checkJq(expression: string): Promise<void> {
  await run('', expression);
}

/** Filters a value; strings print raw, other values one per line. Throws exit 3 for a bad expression. */
export async function runJq(value: unknown, expression: string): Promise<string> {
  const text = await run(JSON.stringify(value), expression);
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

async function run(json: string, expression: string): Promise<string> {
  const { default: loading } = await import('jq-web');
  const jq = await loading;
  try {
    // Without a value there is no result.
    return jq.raw(json, expression, ['-r', '-c']) ?? '';
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.trim() : String(cause);
    throw usageError(both(`jq: ${reason}`, `jq 表达式有误：${reason}`), { field: '--jq', cause });
  }
}
