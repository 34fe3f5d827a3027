/** Databases with the schema of this program. */
import { copyFileSync } from 'node:fs';
import { openDatabase } from '../../daemon/store/database.ts';
import { migrate } from '../../daemon/store/migrate.ts';
import { migrations } from '../../migrations/index.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

/** Brings the database at an address to the schema of this program. */
export async function migrateAt(url: string): Promise<void> {
  const database = await openDatabase({ url });
  try {
    await migrate(database, migrations);
  } finally {
    await database.close();
  }
}

let template: Promise<string> | undefined;

async function makeTemplate(): Promise<string> {
  const file = createWorkspace().path('template.db');
  await migrateAt(`sqlite:${file}`);
  return file;
}

/** Puts a migrated SQLite file into the folder, a copy of one that this process migrated once; answers its address. */
export async function migratedFileIn(workspace: Workspace): Promise<string> {
  template ??= makeTemplate();
  const file = workspace.path('test.db');
  copyFileSync(await template, file);
  return `sqlite:${file}`;
}
