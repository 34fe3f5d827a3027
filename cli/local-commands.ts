/** Local commands for a program that is built to be described or tested, and runs nothing beside a daemon. */
import type { LocalCommands } from './command.ts';

/** All of them do the same, told by name which one was run. */
export function localCommandsThat(refuse: (name: keyof LocalCommands) => Promise<never>): LocalCommands {
  return {
    serve: () => refuse('serve'),
    migrate: () => refuse('migrate'),
    checkConfig: () => refuse('checkConfig'),
    examine: () => refuse('examine'),
    backup: () => refuse('backup'),
    verifyBackup: () => refuse('verifyBackup'),
    restore: () => refuse('restore'),
    moveTo: () => refuse('moveTo'),
    import: () => refuse('import'),
    rescue: () => refuse('rescue'),
  };
}
