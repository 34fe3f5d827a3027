import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  backupReasons,
  missingRows,
  otherColumns,
  unknownForm,
  unknownTable,
} from '../../../daemon/contract/backup-reasons.ts';
import { formatError } from '../../../daemon/contract/error-codes.ts';

const test = suite('reasons why a file is no whole backup');

test('each of them has its Chinese, and both languages say what to do', () => {
  const made = [unknownForm(2), missingRows('users'), unknownTable('users'), otherColumns('users')];
  for (const reason of [...Object.values(backupReasons), ...made]) {
    const told = formatError('backup_damaged', { reason }, 'zh');
    assert.not.match(told.replace('users', ''), /[a-z]/i, reason);
    assert.match(told, /；请从原处重新复制，或改用较早的备份$/);
    const english = formatError('backup_damaged', { reason }, 'en');
    const remedy = 'copy it once more from where it was made, or take an older one';
    assert.is(english, `This is not a whole backup: ${reason}; ${remedy}`);
  }
});

test.run();
