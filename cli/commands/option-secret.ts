/** Options that are secret: nobody reads them again, so nothing is no value of theirs. */
import { usageError } from '../errors.ts';
import { both } from '../language.ts';

/** Throws exit 3 for a secret of nothing: the server takes it as none that was written, and keeps the one before. */
export function refuseNoSecret(key: string, value: string): void {
  if (value !== '') return;
  const command = `tollgate option unset ${key}`;
  throw usageError(both(`${key} needs a value`, `${key} 不能为空`), {
    field: key,
    hint: both(`${command} clears it`, `清除请用 ${command}`),
  });
}
