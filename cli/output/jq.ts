/** `--jq`: real jq as WebAssembly, loaded only when asked for. */
import { usageError } from '../errors.ts';
import { both } from '../language.ts';

/** Filters a value; strings print raw, other values one per line. Throws exit 3 for a bad expression. */
export async function runJq(value: unknown, expression: string): Promise<string> {
  const { default: loading } = await import('jq-web');
  const jq = await loading;
  try {
    const text = jq.raw(JSON.stringify(value), expression, ['-r', '-c']);
    return text === '' || text.endsWith('\n') ? text : `${text}\n`;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.trim() : String(cause);
    throw usageError(both(`jq: ${reason}`, `jq 表达式有误：${reason}`), { field: '--jq', cause });
  }
}
