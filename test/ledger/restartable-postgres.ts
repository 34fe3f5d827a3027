/** A PostgreSQL server that is stopped and started again on the same data. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import pg from 'pg';
import { handOver, postgresPrograms, withoutRoot } from '../support/engine-programs.ts';
import { freePort, type GuardedServer, startGuarded, untilReady } from '../support/guarded-server.ts';
import { createWorkspace, type Workspace } from '../support/workspace.ts';

const OWNER = 'postgres';

export class RestartablePostgres {
  readonly url: string;
  readonly #port: number;
  readonly #workspace: Workspace;
  #server: GuardedServer | undefined;
  #starts = 0;

  /** Makes a server that does not run yet. */
  static async create(): Promise<RestartablePostgres> {
    const workspace = createWorkspace();
    handOver(workspace.folder, OWNER);
    const [program = '', ...rest] = [...withoutRoot(OWNER), postgresPrograms().initdb];
    const options = ['-D', workspace.path('data'), '-U', OWNER, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'];
    execFileSync(program, [...rest, ...options, '--no-sync'], { stdio: ['ignore', 'ignore', 'pipe'] });
    return new RestartablePostgres(workspace, await freePort());
  }

  private constructor(workspace: Workspace, port: number) {
    this.#workspace = workspace;
    this.#port = port;
    this.url = `postgres://${OWNER}@127.0.0.1:${port}/postgres`;
  }

  /** Resolves when the server answers. */
  async start(): Promise<void> {
    this.#starts += 1;
    // The guard removes this folder at every stop; the data lies beside it.
    const folder = this.#workspace.path(`run-${this.#starts}`);
    mkdirSync(folder);
    handOver(folder, OWNER);
    const settings = [`port=${this.#port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`];
    const command = [...withoutRoot(OWNER), postgresPrograms().postgres, '-D', this.#workspace.path('data')];
    const server = startGuarded({
      command: [...command, ...[...settings, 'fsync=off'].flatMap((setting) => ['-c', setting])],
      folder,
      signal: 'QUIT',
    });
    this.#server = server;
    await untilReady(server, 'PostgreSQL', async () => {
      const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 2000 });
      await client.connect();
      await client.end();
    });
  }

  /** Ends the server at once: whatever is under way is lost, as in a crash. */
  async stop(): Promise<void> {
    await this.#server?.stop();
  }

  async remove(): Promise<void> {
    await this.stop();
    this.#workspace.remove();
  }
}
