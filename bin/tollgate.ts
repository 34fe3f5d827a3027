#!/usr/bin/env node
/** Starts the command line. What lives beside the daemon is loaded only when its command runs. */
import type { LocalCommands } from '../cli/command.ts';
import { runProgram } from '../cli/program.ts';
import { watchSignals } from '../cli/signals.ts';

const local: LocalCommands = {
  serve: async (options) => (await import('../daemon/main.ts')).serve(options, process.env),
  migrate: async (options) => (await import('../daemon/maintenance.ts')).migrateDatabase(options, process.env),
  checkConfig: async (options) => (await import('../daemon/maintenance.ts')).checkConfig(options, process.env),
  backup: async (wish) => (await import('../daemon/transfer.ts')).backUpDatabase(wish, process.env),
  verifyBackup: async (wish) => (await import('../daemon/transfer.ts')).verifyBackup(wish),
  restore: async (wish) => (await import('../daemon/transfer.ts')).restoreDatabase(wish, process.env),
  moveTo: async (wish) => (await import('../daemon/transfer.ts')).moveDatabase(wish, process.env),
  import: async (wish) => (await import('../daemon/gateway-import.ts')).importGateway(wish, process.env),
  rescue: async (wish) => (await import('../daemon/rescue.ts')).rescueRoot(wish, process.env),
  examine: async (options) => (await import('../daemon/local-checks.ts')).examineLocally(options, process.env),
};

await runProgram(process.argv.slice(2), {
  environment: process.env,
  host: process,
  signal: watchSignals(),
  local,
});
