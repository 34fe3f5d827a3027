/**
 * The data folder belongs to one process at a time: it holds the ledger's journal, the node's name and the files of
 * requests under way. The claim is a local socket, which the system takes back from a process that dies, however it
 * dies.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { TollgateError } from '../errors.ts';

export interface DataFolder {
  /** Stays the same from one start to the next, so that a restart knows what its earlier life left behind. */
  readonly nodeId: string;
  /** Folder for large files of requests under way; empty at first. */
  readonly uploads: string;
  release(): Promise<void>;
}

/** The system's limit for the address of a local socket is about 100 bytes. */
const longestAddress = 100;

/** Claims the folder, which is made when it is missing. Throws `data_dir_in_use` while another process has it. */
export async function claimDataFolder(folder: string): Promise<DataFolder> {
  makeFolder(folder);
  const address = socketAddress(resolve(folder));
  const server = address === undefined ? undefined : await claim(address, folder);
  return {
    nodeId: nodeName(join(folder, 'node-id')),
    uploads: uploadsIn(folder, server === undefined ? 'shared on trust' : 'claimed'),
    release: () => new Promise((done) => (server === undefined ? done() : server.close(() => done()))),
  };
}

/**
 * Makes a folder, and those above it, readable by their owner alone. Node's own way asks a file system without end that
 * refuses a folder as if the one above it were missing (`/proc`; seen in 20.20 and 24.21, 2026-11).
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(resolve(folder)));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Whoever else starts in this moment may have been first.
    if (!existsSync(folder)) throw error;
  }
}

/** True while a living process has the folder; false too where it has no address, or is not there. */
export async function isDataFolderClaimed(folder: string): Promise<boolean> {
  const address = socketAddress(resolve(folder));
  return address !== undefined && answers(address);
}

/** Removes what calls left in a folder whose process is certainly dead and is not started again. */
export async function clearDeadUploads(folder: string): Promise<void> {
  const address = socketAddress(resolve(folder));
  if (address === undefined || (await answers(address))) return;
  rmSync(join(folder, 'uploads'), { recursive: true, force: true });
}

function socketAddress(folder: string): string | undefined {
  if (process.platform === 'win32') return `\\\\.\\pipe\\${folder.replaceAll(/[\\/:]/g, '-')}`;
  const path = join(folder, 'daemon.sock');
  // Too long an address cannot be claimed; the folder is then used on trust.
  return Buffer.byteLength(path) > longestAddress ? undefined : path;
}

async function claim(address: string, folder: string): Promise<Server> {
  const inUse = () => new TollgateError('data_dir_in_use', { folder });
  if (await answers(address)) throw inUse();
  if (process.platform !== 'win32' && (await removeDead(address)) === 'alive') throw inUse();
  const server = createServer((socket) => socket.end());
  await new Promise<void>((done, fail) => {
    // Somebody else who starts in this moment was first.
    server.once('error', (error) => fail('code' in error && error.code === 'EADDRINUSE' ? inUse() : error));
    // A worker's claim is its own, not that of the process that started it.
    server.listen({ path: address, exclusive: true }, done);
  });
  if (process.platform !== 'win32') chmodSync(address, 0o600);
  server.unref();
  return server;
}

/** Takes away what a dead process left, and puts it back where a living one has come to listen there meanwhile. */
async function removeDead(address: string): Promise<'removed' | 'alive'> {
  if (!existsSync(address)) return 'removed';
  // No longer than the address itself, of which the system takes so much and no more.
  const aside = join(dirname(address), `s-${randomBytes(3).toString('hex')}`);
  try {
    renameSync(address, aside);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'removed';
    throw error;
  }
  if (await answers(aside)) {
    renameSync(aside, address);
    return 'alive';
  }
  rmSync(aside, { force: true });
  return 'removed';
}

/** True while a living process holds the claim. */
function answers(address: string): Promise<boolean> {
  if (process.platform !== 'win32' && !existsSync(address)) return Promise.resolve(false);
  return new Promise((done) => {
    const socket = connect(address);
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });
}

/** What an earlier life left there belongs to requests that died with it, if certainly nobody else lives there. */
function uploadsIn(dataFolder: string, state: 'claimed' | 'shared on trust'): string {
  const folder = join(dataFolder, 'uploads');
  if (state === 'claimed') rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function nodeName(path: string): string {
  const found = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  // A disk that was full, or a power cut, has left a file without a name: all such nodes would be one.
  if (found !== '') return found;
  const name = `node-${randomBytes(6).toString('hex')}`;
  writeFileSync(path, `${name}\n`, { mode: 0o600, flush: true });
  return name;
}
